// Builds the site of the documents: pages, pictures, assets and the index of the search. Reports links that lead nowhere.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Rendered, render } from './markdown.ts'
import { navigation, type Page, pagesOf } from './pages.ts'
import { pageHtml } from './template.ts'

export interface Built {
  pages: number
  problems: string[]
}

/** Texts of sections in the index are cut there: functions have short ones, and guides are found by their beginning and headings. */
const LONGEST_TEXT = 1500

const PICTURES = 'docs/pictures/'

/** Write the site into a folder, which is emptied before. */
export function buildDocs(root: string, folder: string): Built {
  if (existsSync(folder) && !existsSync(join(folder, 'search-index.js'))) {
    throw new Error(`${folder} is not a site of documents, so it is not overwritten`)
  }
  rmSync(folder, { recursive: true, force: true })
  const pages = pagesOf(root)
  const paths = new Map(pages.map(({ source, path }) => [source, path]))
  const problems: string[] = []
  const pathOf = (file: string): string | undefined =>
    paths.get(file) ??
    (file.startsWith(PICTURES) && existsSync(join(root, file)) ? file.slice('docs/'.length) : undefined)
  const rendered = new Map(
    pages.map((page) => [
      page,
      render(page.text, {
        source: page.source,
        pathOf,
        hasNamedRows: /^reference\/[^/]+$/.test(page.path),
        report: (text) => void problems.push(text),
      }),
    ]),
  )
  const groups = navigation(pages)
  for (const [page, result] of rendered) write(join(folder, page.path), pageHtml(page, result, groups))
  cpSync(join(import.meta.dirname, 'assets'), join(folder, 'assets'), { recursive: true })
  cpSync(join(root, PICTURES), join(folder, 'pictures'), { recursive: true })
  write(join(folder, 'search-index.js'), `globalThis.brineIndex = ${JSON.stringify(indexOf(rendered))}\n`)
  return { pages: pages.length, problems: [...problems, ...brokenLinks(rendered)] }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** An entry of the index: heading, title of the page, address, text. The script of the search reads them by position. */
type Entry = [heading: string, page: string, address: string, text: string]

function indexOf(rendered: ReadonlyMap<Page, Rendered>): Entry[] {
  return [...rendered].flatMap(([page, { sections }]) =>
    sections.map(({ heading, text }): Entry => {
      const address = heading.depth === 1 ? page.path : `${page.path}#${heading.id}`
      return [heading.title, page.title, address, text.slice(0, LONGEST_TEXT)]
    }),
  )
}

/** Return the links of all pages that lead to no page or no heading. */
function brokenLinks(rendered: ReadonlyMap<Page, Rendered>): string[] {
  const anchors = new Map(
    [...rendered].map(([page, { headings }]) => [page.path, new Set(headings.map(({ id }) => id))]),
  )
  return [...rendered].flatMap(([page, { html }]) =>
    [...html.matchAll(/<a href="([^"]*)"/g)].flatMap(([, href]) => {
      if (/^(https?:|mailto:)/.test(href!)) return []
      const [file = '', anchor] = href!.split('#')
      const path = file === '' ? page.path : join(dirname(page.path), file)
      const known = anchors.get(path)
      if (known === undefined || (anchor !== undefined && !known.has(anchor)))
        return [`${page.source}: the link to ${href} leads nowhere`]
      return []
    }),
  )
}
