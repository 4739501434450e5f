// The order of Debian's versions, as dpkg has it: epoch, then upstream version, then revision; in texts a tilde sorts
// before everything, even the end, and letters before all other characters.

interface DebianVersion {
  epoch: number
  version: string
  revision: string
}

const GREATEST_EPOCH = 0x7fffffff

/** Undefined for a version that dpkg refuses; blank for an empty one. */
function parse(text: string): DebianVersion | 'blank' | undefined {
  if (text === '' || text === '<unknown>') return 'blank'
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '')
  if (trimmed === '' || /[ \t]/.test(trimmed)) return undefined
  const colon = trimmed.indexOf(':')
  const epochText = colon < 0 ? '0' : trimmed.slice(0, colon)
  const rest = trimmed.slice(colon + 1)
  if (!/^\+?\d+$/.test(epochText) || Number(epochText) > GREATEST_EPOCH || rest === '') return undefined
  const hyphen = rest.lastIndexOf('-')
  const version = hyphen < 0 ? rest : rest.slice(0, hyphen)
  const revision = hyphen < 0 ? '' : rest.slice(hyphen + 1)
  if (version === '' || (hyphen >= 0 && revision === '')) return undefined
  return { epoch: Number(epochText), version, revision }
}

function weight(character: string | undefined): number {
  if (character === undefined || (character >= '0' && character <= '9')) return 0
  if (character === '~') return -1
  const code = character.codePointAt(0)!
  return /[a-zA-Z]/.test(character) ? code : code + 256
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9'

/** Parts without digits and numbers in turn. */
function compareParts(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a[i])) || (j < b.length && !isDigit(b[j]))) {
      const difference = weight(a[i]) - weight(b[j])
      if (difference !== 0) return difference
      i++
      j++
    }
    const first = /^\d*/.exec(a.slice(i))![0]
    const second = /^\d*/.exec(b.slice(j))![0]
    const difference = compareNumbers(first.replace(/^0+/, ''), second.replace(/^0+/, ''))
    if (difference !== 0) return difference
    i += first.length
    j += second.length
  }
  return 0
}

const compareNumbers = (a: string, b: string): number =>
  a.length !== b.length ? a.length - b.length : a < b ? -1 : a > b ? 1 : 0

/** Return the order of two versions; undefined if dpkg cannot parse one of them. */
export function compareDebian(first: string, second: string): number | undefined {
  const a = parse(first)
  const b = parse(second)
  if (a === undefined || b === undefined) return undefined
  if (a === 'blank' || b === 'blank') return a === b ? 0 : a === 'blank' ? -1 : 1
  return Math.sign(a.epoch - b.epoch || compareParts(a.version, b.version) || compareParts(a.revision, b.revision))
}
