// One line of sources.list: `deb [options] uri suite components # comment`, disabled if it is commented out. Other
// lines keep their text. The parsing rules are Salt's, oddities included, because states compare the results.
import { misuse, numberOf, PyError, splitWords, textOf, type Value } from '../../../../data/mod.ts'

export const SOURCES_LIST = '/etc/apt/sources.list'

const TYPES = ['deb', 'deb-src', 'rpm', 'rpm-src']
const NO = ['no', 'false', 'without', 'off', 'disable', '0']
const YES = ['yes', 'true', 'with', 'on', 'enable', '1']

/** Parse yes and no, as in the fields of sources. */
export function switchOf(value: Value): boolean {
  if (typeof value === 'boolean') return value
  const word = textOf(value)?.toLowerCase()
  if (word === undefined) throw new PyError('AttributeError', `'${typeof value}' object has no attribute 'lower'`)
  if (NO.includes(word)) return false
  if (YES.includes(word)) return true
  throw new PyError('ValueError', `Unable to convert to boolean: ${word}`)
}

/** Trust as it may be given; null when it says nothing. */
export function trustOf(value: Value): boolean | null {
  const number = typeof value === 'boolean' ? undefined : numberOf(value)
  if (number === 0 || number === 1) return number === 1
  return typeof value === 'boolean' || typeof value === 'string' ? switchOf(value) : null
}

interface Parsed {
  disabled: boolean
  invalid: boolean
  comment: string
  words: string[]
}

/** Return the words of a line that is an entry. */
function parseLine(given: string): Parsed {
  let line = given.trim()
  const disabled = line.startsWith('#')
  if (disabled) line = line.slice(1)
  const mark = line.indexOf('#')
  const comment = mark > 0 ? line.slice(mark + 1) : ''
  if (mark > 0) line = line.slice(0, mark)
  const disc = /^(.*)(cdrom:.*\/)(.*)/.exec(line.trim())
  const words = disc ? [...splitWords(disc[1]!), disc[2]!.trim(), ...splitWords(disc[3]!)] : splitWords(line)
  const open = words[1]?.startsWith('[') && !words.slice(1).some((word) => word.endsWith(']'))
  const invalid = !TYPES.includes(words[0] ?? '') || words.length < 3 || open === true
  return { disabled, invalid, comment, words }
}

interface Option {
  full: string
  value: string | string[]
}

/** Parse the options in brackets. */
function optionsOf(line: string): Map<string, Option> {
  const options = new Map<string, Option>()
  const match = /\[(.*?=.*?)\]/.exec(line)
  if (!match) return options
  const architectures: string[] = []
  for (const full of splitWords(bare(match[0]))) {
    const equal = full.indexOf('=')
    if (equal < 0) throw new PyError('IndexError', 'list index out of range')
    const value = full.slice(equal + 1)
    if (full.startsWith('arch')) {
      architectures.push(...value.split(','))
      options.set('arch', { full, value: architectures })
    } else if (full.startsWith('signed-by')) options.set('signedby', { full, value })
    else options.set(full.slice(0, equal), { full, value })
  }
  return options
}

const bare = (word: string): string => word.replace(/^[[\]]+|[[\]]+$/g, '')

export class SourceLine {
  invalid = false
  disabled = false
  type = ''
  architectures: string[] = []
  uri = ''
  dist = ''
  comps: string[] = []
  comment = ''
  /** The original line; its options stay when the entry is rewritten. */
  line: string
  file: string
  private signer = ''
  private trust: boolean | null = null

  constructor(line: string, file: string = SOURCES_LIST) {
    if (file.endsWith('.sources')) {
      throw new PyError('ValueError', 'Classic SourceEntry cannot be written to .sources file')
    }
    this.line = line
    this.file = file
    this.parse()
  }

  private parse(): void {
    const { disabled, invalid, comment, words } = parseLine(this.line)
    Object.assign(this, { disabled, invalid, comment })
    if (invalid) return
    const rest = words[1]!.startsWith('[') ? this.takeOptions(words) : words
    if (rest.length < 3) throw misuse(`Invalid repository definition: ${rest.join(' ')}`)
    const [type, uri, dist, ...comps] = rest
    Object.assign(this, { type, uri, dist, comps })
  }

  private takeOptions(words: readonly string[]): string[] {
    const rest = words.map(bare).filter(Boolean)
    const options = optionsOf(this.line)
    const text = (name: string): string | undefined => options.get(name)?.value as string | undefined
    this.architectures.push(...((options.get('arch')?.value ?? []) as string[]))
    if (options.has('signedby')) this.signedby = text('signedby')!
    if (options.has('trusted')) this.trusted = text('trusted')!
    for (const { full } of options.values()) {
      const at = [full, `[${full}]`].map((word) => rest.indexOf(word)).find((index) => index >= 0)
      if (at === undefined) throw new PyError('ValueError', `'[${full}]' is not in list`)
      rest.splice(at, 1)
    }
    return rest
  }

  get signedby(): string {
    return this.signer
  }
  set signedby(value: string) {
    this.signer = value
  }

  get trusted(): boolean | null {
    return this.trust
  }
  set trusted(value: Value) {
    this.trust = trustOf(value)
  }

  get types(): string[] {
    return [this.type]
  }
  get uris(): string[] {
    return [this.uri]
  }

  get suites(): string[] {
    return this.dist === '' ? [] : [this.dist]
  }
  set suites(suites: readonly string[]) {
    if (suites.length > 1) throw new PyError('ValueError', 'Only one suite is possible for non deb822 source entry')
    this.dist = suites[0] ?? ''
  }

  /** Return the written form, without the line end. */
  text(): string {
    if (this.invalid) return this.line.trim()
    const options = this.options()
    const words = [
      ...(this.disabled ? ['#'] : []),
      this.type,
      ...(options.length > 0 ? [`[${options.join(' ')}]`] : []),
      this.uri,
      this.dist,
      this.comps.join(' '),
      ...(this.comment === '' ? [] : [`#${this.comment}`]),
    ]
    return words.join(' ').trim()
  }

  private options(): string[] {
    const options = optionsOf(this.line)
    const put = (name: string, full: string, value: string | string[]) => options.set(name, { full, value })
    if (this.architectures.length > 0) put('arch', `arch=${this.architectures.join(',')}`, this.architectures)
    if (this.signer !== '') put('signedby', `signed-by=${this.signer}`, this.signer)
    if (this.trust) put('trusted', 'trusted=yes', 'yes')
    if (options.get('trusted')?.value === 'no') options.delete('trusted')
    return [...options.values()].map(({ full }) => full).filter(Boolean)
  }
}
