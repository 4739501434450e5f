// The HTML around the text of a page. Paths are relative, so that the site works from any folder and without a server.
import { dirname, relative } from 'node:path/posix'
import { escaped, type Rendered } from './markdown.ts'
import type { NavGroup, Page } from './pages.ts'

/** Nothing but files of the site itself. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"

/** Headings of a page that has more are not listed beside it. */
const MOST_HEADINGS = 400

function tocHtml({ headings }: Rendered): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (listed.length < 2 || listed.length > MOST_HEADINGS) return ''
  const items = listed.map(
    ({ depth, id, title }) => `<li class="h${depth}"><a href="#${id}">${escaped(title)}</a></li>`,
  )
  return `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`
}

/** The address of a page, as seen from another one. */
const from = (page: Page, path: string): string => relative(dirname(page.path), path) || path

function navHtml(page: Page, groups: readonly NavGroup[]): string {
  // a page of the reference belongs to the index of its folder
  const owner = groups.some(({ pages }) => pages.includes(page)) ? page.path : `${dirname(page.path)}/index.html`
  return groups
    .map(({ title, pages }) => {
      const items = pages.map((other) => {
        const mark = other.path === owner ? ` aria-current="${other === page ? 'page' : 'true'}"` : ''
        return `<li><a href="${from(page, other.path)}"${mark}>${escaped(other.title)}</a></li>`
      })
      return `<section><h2>${title}</h2><ul>${items.join('')}</ul></section>`
    })
    .join('\n')
}

export function pageHtml(page: Page, rendered: Rendered, groups: readonly NavGroup[]): string {
  const root = from(page, '.').replace(/\/?$/, '/')
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.path === 'index.html' ? 'Brine' : `${page.title} – Brine`)}</title>
<link rel="stylesheet" href="${root}assets/site.css">
<script src="${root}assets/search.js" defer></script>
<script src="${root}assets/site.js" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="home" href="${root}index.html">Brine</a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search the documents" autocomplete="off" spellcheck="false"
 role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list">
<ul id="results" role="listbox" aria-label="Search results" hidden></ul>
<p id="result-count" class="hidden" role="status"></p>
</div>
<button id="menu" type="button" aria-expanded="false" aria-controls="pages">Menu</button>
</header>
<div class="columns">
<nav id="pages" class="pages" aria-label="Pages" tabindex="-1">
${navHtml(page, groups)}
</nav>
<main id="text" tabindex="-1">
${rendered.html}</main>
${tocHtml(rendered)}
</div>
</body>
</html>
`
}
