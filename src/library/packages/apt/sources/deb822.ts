// Sources in deb822 form: sections of `Field: value`, with comments before and after them. One entry may contain
// several types, addresses and suites.
import { iterate, PyError, splitLines, str, type Value } from '../../../../data/mod.ts'
import { switchOf, trustOf } from './source-line.ts'

/** Fields by name, ignoring case. */
export class Deb822Section {
  readonly tags = new Map<string, string>()
  header: string[] = []
  footer: string[] = []
  private readonly spelling = new Map<string, string>()

  constructor(text = '') {
    const data: string[] = []
    for (const line of splitLines(text)) {
      if (!line.startsWith('#')) data.push(line)
      else if (data.length > 0) this.footer.push(line)
      else this.header.push(line)
    }
    let tag: string | undefined
    let value = ''
    for (const line of data) {
      const match = /^(\S+):\s*(\S.*|)/.exec(line)
      if (!match && line !== '') {
        value = `${value}\n${line}`
        continue
      }
      if (tag !== undefined) this.set(tag, value.trim())
      if (match) [tag, value] = [match[1]!, match[2]!]
    }
    if (tag !== undefined) this.set(tag, value.trim())
  }

  private key(name: string): string {
    return this.spelling.get(name.toLowerCase()) ?? name
  }

  get(name: string): string | undefined {
    return this.tags.get(this.key(name))
  }

  set(name: string, value: string): void {
    if (!this.spelling.has(name.toLowerCase())) this.spelling.set(name.toLowerCase(), name)
    this.tags.set(name, value)
  }

  delete(name: string): void {
    this.tags.delete(this.key(name))
    this.spelling.delete(name.toLowerCase())
  }

  text(): string {
    const lines = (list: readonly string[]): string => (list.length > 0 ? `${list.join('\n')}\n` : '')
    const fields = [...this.tags].map(([name, value]) => (value === '' ? '' : `${name}: ${value}\n`))
    return `${lines(this.header)}${fields.join('')}${lines(this.footer)}`
  }
}

const words = (text: string | undefined): string[] => splitPieces(text ?? '')

/** Split words; brackets keep their content together. */
function splitPieces(text: string): string[] {
  return text.trim().match(/(?:\[[^\]]*\]?|[^\s[])+/g) ?? []
}

export class Deb822Source {
  readonly section: Deb822Section
  file: string

  constructor(section: Deb822Section, file: string) {
    this.section = section
    this.file = file
  }

  private setField(name: string, value: Value): void {
    if (value !== null) this.section.set(name, str(value))
    else if (this.section.get(name) === undefined) throw new PyError('KeyError', `'${name}'`)
    else this.section.delete(name)
  }

  private setWords(name: string, value: Value): void {
    this.setField(name, value === null ? null : [...iterate(value)].map(str).join(' '))
  }

  get architectures(): string[] {
    return words(this.section.get('Architectures'))
  }
  set architectures(value: Value) {
    this.setWords('Architectures', value)
  }

  get types(): string[] {
    return words(this.section.get('Types'))
  }
  set types(value: Value) {
    this.setWords('Types', value)
  }
  get type(): string | null {
    return this.section.get('Types') ?? null
  }

  get uris(): string[] {
    return words(this.section.get('URIs'))
  }
  set uris(value: Value) {
    this.setWords('URIs', value)
  }
  get uri(): string | null {
    return this.section.get('URIs') ?? null
  }
  set uri(value: Value) {
    this.setField('URIs', value)
  }

  get suites(): string[] {
    return words(this.section.get('Suites'))
  }
  set suites(value: Value) {
    this.setWords('Suites', value)
  }
  get dist(): string | null {
    return this.section.get('Suites') ?? null
  }
  set dist(value: Value) {
    this.setField('Suites', value)
  }

  get comps(): string[] {
    return words(this.section.get('Components'))
  }
  set comps(value: Value) {
    this.setWords('Components', value)
  }

  get signedby(): string | null {
    return this.section.get('Signed-By') ?? null
  }
  set signedby(value: Value) {
    this.setField('Signed-By', value)
  }

  get trusted(): boolean | null {
    const value = this.section.get('Trusted')
    return value === undefined ? null : switchOf(value)
  }
  set trusted(value: Value) {
    const trust = trustOf(value)
    if (trust === null) this.section.delete('Trusted')
    else this.section.set('Trusted', trust ? 'yes' : 'no')
  }

  get disabled(): boolean {
    return !switchOf(this.section.get('Enabled') ?? 'yes')
  }
  set disabled(value: boolean) {
    if (value) this.section.set('Enabled', 'no')
    else this.section.delete('Enabled')
  }

  set comment(comment: string) {
    const lines = splitLines(comment)
    this.section.header = lines.every((line) => line.startsWith('#')) ? lines : lines.map((line) => `#${line}`)
  }

  get invalid(): boolean {
    return this.section.tags.size === 0
  }

  /** Return the written form, without the final line end. */
  text(): string {
    return this.section.text().trim()
  }
}
