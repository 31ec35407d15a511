# The page: web/ui is its source, web/dist the bundle that go build embeds.

.PHONY: page check-page pictures

page: ## rebuild web/dist from web/ui
	cd web/ui && npm ci --no-audit --no-fund && npm run --silent check && npm run --silent build

check-page: ## prove that web/dist is what web/ui builds
	cd web/ui && npm ci --no-audit --no-fund && npm run --silent check
	rm -rf .build/page && cd web/ui && node build.mjs ../../.build/page
	diff -r .build/page web/dist || { echo "web/dist is not what web/ui builds: run make page and commit it"; exit 1; }

pictures: ## draw the pictures that the page is compared with anew
	ACCSCOPE_BROWSER=1 $(GO) test ./web -run '^TestPictures$$' -count=1 -update
