// Versions of Python packages (PEP 440): their order, and the specifiers that match them.
import { lookup } from '../../base/mod.ts'

interface Pep440 {
  epoch: number
  release: number[]
  /** `a`, `b` or `rc` and its number. */
  pre: [string, number] | undefined
  post: number | undefined
  dev: number | undefined
  local: (string | number)[] | undefined
}

const PATTERN =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|beta|preview|pre|rc|a|b|c)[-_.]?(\d+)?)?((?:-(\d+))|(?:[-_.]?(?:post|rev|r)[-_.]?(\d+)?))?([-_.]?dev[-_.]?(\d+)?)?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/

const LETTERS: Readonly<Record<string, string>> = lookup({ alpha: 'a', beta: 'b', c: 'rc', pre: 'rc', preview: 'rc' })

/** Undefined for an invalid version. */
function parsePep440(text: string): Pep440 | undefined {
  const match = PATTERN.exec(text.trim().toLowerCase())
  if (!match) return undefined
  const [, epoch, release, letter, pre, postText, post1, post2, devText, dev, local] = match
  return {
    epoch: Number(epoch ?? 0),
    release: release!.split('.').map(Number),
    pre: letter === undefined ? undefined : [LETTERS[letter] ?? letter, Number(pre ?? 0)],
    post: postText === undefined ? undefined : Number(post1 ?? post2 ?? 0),
    dev: devText === undefined ? undefined : Number(dev ?? 0),
    local: local?.split(/[-_.]/).map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  }
}

const isPrerelease = ({ pre, dev }: Pep440): boolean => pre !== undefined || dev !== undefined

type Key = (string | number)[]

/** Lists of texts and numbers in turn, so that plain comparison gives the order. */
function keyOf(version: Pep440, withLocal: boolean): Key[] {
  const { epoch, release, pre, post, dev, local } = version
  const last = release.findLastIndex((part) => part !== 0)
  const early = pre === undefined && post === undefined && dev !== undefined
  return [
    [epoch],
    release.slice(0, last + 1),
    pre ?? [early ? '' : 'z'],
    [post ?? -1],
    [dev ?? Number.POSITIVE_INFINITY],
    // text before numbers, and nothing before both
    withLocal ? (local ?? []).flatMap((part) => (typeof part === 'number' ? [1, part, ''] : [0, 0, part])) : [],
  ]
}

function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (const [i, list] of a.entries()) {
    const other = b[i]!
    for (let j = 0; j < Math.max(list.length, other.length); j++) {
      const [x, y] = [list[j], other[j]]
      if (x === undefined || y === undefined) return x === undefined ? -1 : 1
      if (x !== y) return x < y ? -1 : 1
    }
  }
  return 0
}

const compareParsed = (a: Pep440, b: Pep440, withLocal = true): number =>
  compareKeys(keyOf(a, withLocal), keyOf(b, withLocal))

/** Undefined if one of them is an invalid version. */
export function comparePep440(a: string, b: string): number | undefined {
  const [left, right] = [parsePep440(a), parsePep440(b)]
  return left && right && compareParsed(left, right)
}

/** An operator and a version, as `>=` and `1.2`. */
export type Specifier = readonly [operator: string, version: string]

/** Whether all specifiers accept a version; undefined when something is not of this scheme. */
export function specifiersAccept(version: string, specifiers: readonly Specifier[]): boolean | undefined {
  const candidate = parsePep440(version)
  const wishes = specifiers.map(([operator, text]) => {
    const prefix = (operator === '==' || operator === '!=') && text.endsWith('.*')
    const wanted = parsePep440(prefix ? text.slice(0, -2) : text)
    return { operator, text, prefix, wanted }
  })
  if (!candidate || wishes.some(({ operator, wanted }) => wanted === undefined && operator !== '===')) return undefined
  const early = wishes.some(
    ({ operator, wanted }) => !['!=', '<', '>'].includes(operator) && wanted && isPrerelease(wanted),
  )
  if (isPrerelease(candidate) && !early) return false
  return wishes.every(({ operator, text, prefix, wanted }) => {
    if (operator === '===') return version.toLowerCase() === text.toLowerCase()
    return prefix ? hasPrefix(candidate, wanted!) === (operator === '==') : accepts(candidate, operator, wanted!)
  })
}

function hasPrefix(candidate: Pep440, wanted: Pep440): boolean {
  const at = (release: readonly number[], i: number): number => release[i] ?? 0
  const same = wanted.release.every((_, i) => at(candidate.release, i) === at(wanted.release, i))
  return same && candidate.epoch === wanted.epoch
}

const BASE = { pre: undefined, post: undefined, dev: undefined, local: undefined }

function accepts(candidate: Pep440, operator: string, wanted: Pep440): boolean {
  const sameBase = compareParsed({ ...candidate, ...BASE }, { ...wanted, ...BASE }) === 0
  const publicOrder = compareParsed(candidate, wanted, false)
  if (operator === '==' || operator === '!=') {
    const equal = compareParsed(candidate, wanted, wanted.local !== undefined) === 0
    return equal === (operator === '==')
  }
  if (operator === '<=') return publicOrder <= 0
  if (operator === '>=') return publicOrder >= 0
  if (operator === '<') {
    return compareParsed(candidate, wanted) < 0 && !(sameBase && isPrerelease(candidate) && !isPrerelease(wanted))
  }
  if (operator === '>') {
    const later = sameBase && candidate.post !== undefined && wanted.post === undefined
    return compareParsed(candidate, wanted) > 0 && !later && !(sameBase && candidate.local !== undefined)
  }
  // `~=`: at least this one, with the same release up to the last but one part
  return publicOrder >= 0 && hasPrefix(candidate, { ...wanted, ...BASE, release: wanted.release.slice(0, -1) })
}
