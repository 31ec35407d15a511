package otlp

func (b *builder) folded(limit int) error { return b.whole() }
