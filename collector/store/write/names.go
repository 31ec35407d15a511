package write

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
)

// saveDetails spells out the sites that are new.
func (w *Writer) saveDetails() error {
	if w.detailed == w.dict.sites.last {
		return nil
	}
	if err := schema.Execute(w.conn, schema.SiteDetail, w.detailed); err != nil {
		return err
	}
	w.detailed = w.dict.sites.last
	return nil
}

// saveOpen writes which spans wait for their end.
func (w *Writer) saveOpen() error {
	if !w.opened {
		return nil
	}
	w.opened = false
	if err := schema.Execute(w.conn, "DELETE FROM open_span"); err != nil {
		return err
	}
	for id, pair := range w.open {
		if err := schema.Execute(w.conn, "INSERT INTO open_span VALUES (?, ?)", id, int64(pair)); err != nil {
			return err
		}
	}
	return nil
}

// saveNames writes new strings, devices and queues.
func (w *Writer) saveNames() error {
	for ; w.savedName < w.names.Len(); w.savedName++ {
		if err := schema.Execute(w.conn, "INSERT INTO string VALUES (?, ?)", w.savedName, w.names.Text(model.Name(w.savedName))); err != nil {
			return err
		}
	}
	for ; w.savedDev < len(w.directory.Devices); w.savedDev++ {
		if err := w.saveDevice(w.directory.Devices[w.savedDev]); err != nil {
			return err
		}
	}
	for id := range w.newPeaks {
		if err := schema.Execute(w.conn, "UPDATE device SET peak = ? WHERE id = ?", w.peaks[id], int64(id)); err != nil {
			return err
		}
	}
	clear(w.newPeaks)
	for ; w.savedQ < len(w.directory.Queues); w.savedQ++ {
		q := w.directory.Queues[w.savedQ]
		if err := schema.Execute(w.conn, "INSERT INTO queue VALUES (?, ?, ?)", int64(q.ID), int64(q.Device), q.Number); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) saveDevice(d model.DeviceInfo) error {
	peak, known := w.peaks[d.ID]
	return schema.Execute(w.conn, "INSERT OR REPLACE INTO device VALUES (?, ?, ?, ?, nullif(?, ''), nullif(?, 0), nullif(?, ''), ?)", int64(d.ID),
		int64(d.Process), d.Type, d.Number, d.Name, d.Capacity, d.Vendor, orNull(peak, known))
}

// SaveDevice writes what is known of a device by now.
func (w *Writer) SaveDevice(id model.DeviceID) error {
	return w.change(func() error { return w.saveDevice(w.directory.Devices[id-1]) })
}
