// XML-RPC as far as Cobbler needs it: a call with texts, and an answer of values.
import { type Dict, failure, float, int, type Value } from '../../../data/mod.ts'
import { askWeb, type DataSourceContext } from '../../../sdk/mod.ts'

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const escaped = (text: string): string => text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, number?: string, name?: string) => {
    if (hex ?? number) return String.fromCodePoint(Number.parseInt(hex ?? number!, hex ? 16 : 10))
    return ENTITIES[name!.toLowerCase()] ?? whole
  })

/** Call a method with texts or None, and return its answer. */
export async function callXmlRpc(
  ctx: Pick<DataSourceContext, 'http'>,
  request: { url: string; method: string; params: ReadonlyArray<string | null> },
): Promise<Value> {
  const { url, method, params } = request
  const values = params.map((value) => (value === null ? '<nil/>' : `<string>${escaped(value)}</string>`))
  const list = values.map((value) => `<param><value>${value}</value></param>`).join('')
  const body = `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${list}</params></methodCall>`
  const { status, text } = await askWeb(ctx, { url, method: 'POST', body, headers: { 'Content-Type': 'text/xml' } })
  if (status !== 200) throw failure(`${new URL(url).origin} answers with status ${status} to ${method}`)
  const reader = new XmlValues(text)
  const fault = /<fault>/.test(text)
  const value = reader.next()
  if (!fault) return value
  const said = value instanceof Map ? value.get('faultString') : undefined
  throw failure(`${method} failed: ${typeof said === 'string' ? said : 'the server gives no reason'}`)
}

const TAG = /<(\/?)([\w.:]+)[^>]*?(\/?)>/y
/** Nesting limit of values. */
const MOST_LEVELS = 100

/** Reads the first value of an answer. */
class XmlValues {
  private readonly text: string
  private at: number
  private level = 0

  constructor(text: string) {
    this.text = text
    this.at = Math.max(0, text.indexOf('<value'))
  }

  private tag(): { name: string; closes: boolean; empty: boolean } {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
    TAG.lastIndex = this.at
    const found = TAG.exec(this.text)
    if (!found) throw failure('The answer of the server is no XML-RPC')
    this.at = TAG.lastIndex
    return { name: found[2]!, closes: found[1] === '/', empty: found[3] === '/' }
  }

  private content(): string {
    const end = this.text.indexOf('<', this.at)
    if (end < 0) throw failure('The answer of the server is no XML-RPC')
    const text = this.text.slice(this.at, end)
    this.at = end
    return unescaped(text)
  }

  /** A value without a type is text. */
  next(): Value {
    if (++this.level > MOST_LEVELS) throw failure('The answer of the server is nested too deeply')
    const opened = this.tag()
    if (opened.empty) return this.done('')
    const text = this.content()
    const inner = this.tag()
    if (inner.closes) return this.done(text)
    const value = this.typed(inner.name, inner.empty)
    this.tag()
    return this.done(value)
  }

  private done(value: Value): Value {
    this.level--
    return value
  }

  private typed(name: string, empty: boolean): Value {
    if (name === 'nil') return this.closing(null, empty)
    if (name === 'array') return this.array()
    if (name === 'struct') return empty ? new Map() : this.struct()
    const text = empty ? '' : this.content()
    if (!empty) this.tag()
    if (name === 'int' || name === 'i4' || name === 'i8') return int(BigInt(text.trim()))
    if (name === 'double') return float(Number(text))
    if (name === 'boolean') return text.trim() === '1'
    return name === 'base64' ? Buffer.from(text, 'base64') : text
  }

  private closing(value: Value, empty: boolean): Value {
    if (!empty) this.tag()
    return value
  }

  private isEnd(name: string): boolean {
    const before = this.at
    const tag = this.tag()
    if (tag.closes && tag.name === name) return true
    this.at = before
    return false
  }

  private array(): Value[] {
    const items: Value[] = []
    const data = this.tag()
    if (!data.empty) while (!this.isEnd('data')) items.push(this.next())
    this.tag()
    return items
  }

  private struct(): Dict {
    const found: Dict = new Map()
    while (!this.isEnd('struct')) {
      this.tag()
      this.tag()
      const name = this.content()
      this.tag()
      found.set(name, this.next())
      this.tag()
    }
    return found
  }
}
