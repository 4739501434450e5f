// Markdown to the HTML of a page: headings with the anchors that GitHub gives them, links between pages, blocks of code with the name of their file.
// HTML in the documents is not passed on, except for comments, which are dropped.
import { dirname, join, normalize, relative } from 'node:path/posix'
import { Marked, type Token, type Tokens } from 'marked'

export interface Heading {
  depth: number
  id: string
  title: string
}

export interface Rendered {
  html: string
  headings: Heading[]
  /** The sections of the page as plain text, for the search. */
  sections: Section[]
}

export interface Section {
  heading: Heading
  text: string
}

export interface Links {
  /** Path of the document from the root of the clone. */
  source: string
  /** Path in the site of a file of the clone, if the site has it. */
  pathOf(file: string): string | undefined
  /** Whether each row of a table describes the thing that its first cell names, such as an option. */
  hasNamedRows: boolean
  report(problem: string): void
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Return the anchors of headings as GitHub makes them, each once. */
class Anchors {
  private readonly seen = new Map<string, number>()

  of(title: string): string {
    const slug = title
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = this.seen.get(slug) ?? 0
    this.seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

/** Return the visible text of tokens, without markup. */
function plainText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows]
          .flat()
          .map((cell) => plainText(cell.tokens))
          .join(' ')
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ')
      if (token.type === 'html') return ''
      return 'tokens' in token && token.tokens
        ? plainText(token.tokens)
        : unescaped('text' in token ? String(token.text) : ' ')
    })
    .join('')
}

function hrefOf(href: string, links: Links): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const target = links.pathOf(normalize(join(dirname(links.source), file)))
  if (target === undefined) return undefined
  const here = links.pathOf(links.source)!
  const path = relative(dirname(here), target) || target
  return anchor === undefined ? path : `${path}#${anchor}`
}

/** The interface of a renderer's methods to marked. */
interface Renderer {
  parser: { parseInline(tokens: Token[]): string }
}

/** Render one document. */
export function render(text: string, links: Links): Rendered {
  const anchors = new Anchors()
  const headings: Heading[] = []
  const rows: Section[] = []
  /** Return the id of a row that describes something, and keep the row for the search. */
  const rowId = ([first, ...rest]: Tokens.TableCell[]): string => {
    if (!links.hasNamedRows || first?.tokens.length !== 1 || first.tokens[0]!.type !== 'codespan') return ''
    const title = plainText(first.tokens)
    const heading = { depth: 6, id: anchors.of(`row ${title}`), title }
    rows.push({ heading, text: rest.map(({ tokens }) => plainText(tokens)).join(' ') })
    return ` id="${heading.id}"`
  }
  const renderer = {
    heading(this: Renderer, { tokens, depth }: Tokens.Heading): string {
      const title = plainText(tokens)
      const id = anchors.of(title)
      headings.push({ depth, id, title })
      const inner = this.parser.parseInline(tokens)
      if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`
      return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to ${escaped(title)}">#</a></h${depth}>\n`
    },
    link(this: Renderer, { href, tokens }: Tokens.Link): string {
      const inner = this.parser.parseInline(tokens)
      const target = hrefOf(href, links)
      // sources of programs are not part of the site
      if (target === undefined && /\.md(#|$)/.test(href)) links.report(`${links.source}: the page ${href} is not there`)
      return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`
    },
    image({ href, text: alt }: Tokens.Image): string {
      const target = hrefOf(href, links)
      if (target === undefined) links.report(`${links.source}: the picture ${href} is not there`)
      return `<img src="${escaped(target ?? '')}" alt="${escaped(alt)}" loading="lazy">`
    },
    code({ text: code, lang = '' }: Tokens.Code): string {
      const file = /\bfile=(\S+)/.exec(lang)?.[1]
      const kind = /^[\w-]*/.exec(lang)![0]
      const caption = file === undefined ? '' : `<figcaption>${escaped(file)}</figcaption>`
      const body = kind === 'console' ? consoleHtml(code) : escaped(code)
      return `<figure class="code">${caption}<pre tabindex="0"><code>${body}\n</code></pre></figure>\n`
    },
    table(this: Renderer, { header, rows, align }: Tokens.Table): string {
      const cell = (tag: string, at: number, tokens: Token[]): string =>
        `<${tag}${align[at] ? ` class="${align[at]}"` : ''}>${this.parser.parseInline(tokens)}</${tag}>`
      // a column without a name has no header cell, which would be empty
      const head = header.map(({ tokens }, at) => cell(tokens.length > 0 ? 'th' : 'td', at, tokens)).join('')
      const body = rows
        .map((row) => `<tr${rowId(row)}>${row.map(({ tokens }, at) => cell('td', at, tokens)).join('')}</tr>`)
        .join('\n')
      return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`
    },
    html({ text: html }: Tokens.HTML | Tokens.Tag): string {
      return html.startsWith('<!--') ? '' : escaped(html)
    },
  }
  const marked = new Marked({ gfm: true }).use({ renderer })
  const tokens = marked.lexer(text)
  const html = marked.parser(tokens)
  return { html, headings, sections: [...sectionsOf(tokens, headings), ...rows] }
}

/** Commands are marked, so that the copy button can leave prompts and output out. */
function consoleHtml(code: string): string {
  let isContinued = false
  let word: string | undefined
  const lines = code.split('\n').map((line) => {
    const isCommand = line.startsWith('$ ') || isContinued || word !== undefined
    if (!isCommand) return escaped(line)
    if (word === line) word = undefined
    else word ??= /^\$ .*<<'?(\w+)'?/.exec(line)?.[1]
    isContinued = line.endsWith('\\')
    const prompt = line.startsWith('$ ') ? '<span class="prompt">$ </span>' : ''
    return `${prompt}<span class="command">${escaped(prompt ? line.slice(2) : line)}</span>`
  })
  return lines.join('\n')
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: Section[] = []
  let next = 0
  for (const token of tokens) {
    if (token.type === 'heading') sections.push({ heading: headings[next++]!, text: '' })
    else if (sections.length > 0) sections.at(-1)!.text += `${plainText([token])} `
  }
  return sections.map(({ heading, text }) => ({ heading, text: text.replace(/\s+/g, ' ').trim() }))
}
