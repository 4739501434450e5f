// The manual page: the OpenAPI document as HTML, without scripts and without anything from elsewhere.
import { escapeHtml } from '../../data/mod.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema | boolean
  default?: unknown
}

type Content = Record<string, { schema?: Schema }>

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Array<{ name: string; in: string; required?: boolean; description?: string; schema?: Schema }>
  requestBody?: { content: Content }
  responses: Record<string, Answer | { $ref: string }>
}

interface Answer {
  description: string
  content?: Content
}

interface Document {
  info: { title: string; version: string; description?: string }
  tags?: Array<{ name: string; description?: string }>
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, Answer> }
}

/** Text with `code` and **strong** words, in paragraphs. */
const prose = (text: string): string =>
  text
    .split(/\n\n+/)
    .map((part) => `<p>${inline(part)}</p>`)
    .join('')

const inline = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')

/** The name of a type, with links to the schemas of the page. */
function typeOf(schema: Schema | undefined): string {
  if (!schema) return ''
  const { $ref, type, format, enum: words, items, anyOf, oneOf, allOf, additionalProperties } = schema
  if ($ref !== undefined) {
    const name = escapeHtml($ref.split('/').at(-1)!)
    return `<a href="#schema-${name}">${name}</a>`
  }
  if (words) return words.map((word) => `<code>${escapeHtml(String(word))}</code>`).join(' ')
  const some = anyOf ?? oneOf ?? allOf
  if (some)
    return some
      .map(typeOf)
      .filter((name) => name !== '')
      .join(' or ')
  if (items) return `list of ${typeOf(items) || 'anything'}`
  if (additionalProperties && typeof additionalProperties === 'object' && !schema.properties)
    return `map of ${typeOf(additionalProperties) || 'anything'}`
  const names = Array.isArray(type) ? type.join(' or ') : (type ?? 'anything')
  return escapeHtml(format === undefined ? names : `${names} (${format})`)
}

const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`

const table = (heads: readonly string[], rows: readonly string[]): string =>
  rows.length === 0
    ? ''
    : `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`

const usual = (schema: Schema | undefined): string =>
  schema?.default === undefined ? '' : ` Default: <code>${escapeHtml(JSON.stringify(schema.default))}</code>.`

function fields(schema: Schema): string {
  const all = [schema, ...(schema.allOf ?? [])].flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, of]) => {
      const must = required.includes(name) ? '' : 'optional'
      return row([`<code>${escapeHtml(name)}</code>`, typeOf(of), must, inline(of.description ?? '') + usual(of)])
    }),
  )
  return table(['field', 'type', '', ''], all)
}

const contentType = (content: Content | undefined): string => {
  const [first] = Object.entries(content ?? {})
  if (!first) return ''
  const [type, { schema }] = first
  return type.endsWith('json') ? typeOf(schema) : `<code>${escapeHtml(type)}</code>`
}

/** Return the responses of an operation by status, with references resolved. */
const answersOf = ({ responses }: Operation, { components }: Document): [string, Answer][] =>
  Object.entries(responses).map(([status, answer]) => [
    status,
    '$ref' in answer ? components!.responses![answer.$ref.split('/').at(-1)!]! : answer,
  ])

function operationText([method, path, operation]: Listed, document: Document): string {
  const { operationId = '', summary = '', description, parameters = [], requestBody } = operation
  const given = parameters.map(({ name, in: place, required, description: meaning, schema }) =>
    row([
      `<code>${escapeHtml(name)}</code>`,
      escapeHtml(place),
      typeOf(schema),
      required ? '' : 'optional',
      inline(meaning ?? schema?.description ?? '') + usual(schema),
    ]),
  )
  const answers = answersOf(operation, document).map(([status, { description: meaning, content }]) =>
    row([`<code>${escapeHtml(status)}</code>`, contentType(content), inline(meaning)]),
  )
  const [bodySchema] = Object.values(requestBody?.content ?? {})
  const sent = bodySchema ? `<p>Body: ${typeOf(bodySchema.schema)}</p>` : ''
  return `<section id="${escapeHtml(operationId)}">
<h3><span class="${escapeHtml(method)}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></h3>
<p class="summary">${inline(summary)}</p>${description === undefined ? '' : prose(description)}
${table(['parameter', 'in', 'type', '', ''], given)}${sent}${table(['status', 'answer', ''], answers)}
</section>`
}

const STYLE = `:root{color-scheme:light dark;--line:#8885;--soft:#8881;--link:#0b62c4}
@media(prefers-color-scheme:dark){:root{--link:#7db7ff}}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:62rem;padding:1.5rem}
h1{font-size:1.8rem;margin:0 0 .5rem}h2{margin:3rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
h3{margin:2.2rem 0 .25rem;font-size:1.05rem}p{margin:.4rem 0}.summary{font-weight:600}
code{font:.9em ui-monospace,monospace;background:var(--soft);padding:.05em .3em;border-radius:3px}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
table{border-collapse:collapse;width:100%;margin:.6rem 0;font-size:.92rem}
th{text-align:left;font-weight:600}th,td{border-bottom:1px solid var(--line);padding:.3rem .6rem .3rem 0;vertical-align:top}
h3 span{display:inline-block;min-width:3.6rem;font:700 .8rem ui-monospace,monospace}
.get{color:#1a7f4b}.post{color:#b25b00}.delete{color:#c0392b}
nav ul{columns:2;padding-left:1.2rem;margin:.3rem 0 1rem}nav h2{border:0;font-size:1rem;margin:1rem 0 0}
@media(max-width:40rem){nav ul{columns:1}table{display:block;overflow-x:auto}}`

type Listed = [method: string, path: string, operation: Operation]

/** Return the manual of an OpenAPI document. */
export function manualPage(document: Document, address: string): string {
  const { info, tags = [], paths, components } = document
  const all: Listed[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => [method, path, operation]),
  )
  const of = (tag: string): Listed[] => all.filter(([, , { tags: own = [] }]) => own.includes(tag))
  const used = tags.filter(({ name }) => of(name).length > 0)
  const links = used.map(({ name }) => {
    const items = of(name).map(
      ([, , { operationId = '', summary = '' }]) =>
        `<li><a href="#${escapeHtml(operationId)}">${inline(summary)}</a></li>`,
    )
    return `<h2>${escapeHtml(name)}</h2><ul>${items.join('')}</ul>`
  })
  const chapters = used.map(({ name, description = '' }) => {
    const operations = of(name).map((listed) => operationText(listed, document))
    return `<h2>${escapeHtml(name)}</h2>${prose(description)}${operations.join('\n')}`
  })
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<section id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${prose(schema.description ?? '')}${fields(schema) || `<p>${typeOf(schema)}</p>`}</section>`,
  )
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(info.title)} API</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(info.title)} API</h1><p>Version ${escapeHtml(info.version)}. <a href="${escapeHtml(address)}">OpenAPI document</a></p>
${prose(info.description ?? '')}<nav>${links.join('')}</nav>
${chapters.join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}
</body></html>
`
}
