// Versions of RPM packages, in the order that rpm itself has: epoch, version and release, each cut into runs of digits and
// of letters; `~` sorts before the end of a version and `^` after it.

interface Evr {
  epoch: number
  version: string
  release: string
}

/** `epoch:version-release` by its parts. */
export function rpmParts(text: string): Evr {
  const colon = text.indexOf(':')
  const dash = text.indexOf('-')
  const epoch = colon < 0 ? '0' : text.slice(0, colon).trim()
  return {
    epoch: /^[+-]?\d+$/.test(epoch) ? Number(epoch) : 0,
    version: dash < 0 ? text.slice(colon + 1) : text.slice(colon + 1, dash),
    release: dash < 0 ? '' : text.slice(dash + 1),
  }
}

/** A release counts only when both have one. */
export function compareRpm(a: string, b: string): number {
  const [left, right] = [rpmParts(a), rpmParts(b)]
  if (left.epoch !== right.epoch) return left.epoch > right.epoch ? 1 : -1
  const order = compareRpmText(left.version, right.version)
  if (order !== 0 || left.release === '' || right.release === '') return order
  return compareRpmText(left.release, right.release)
}

const SEPARATORS = /^[^\p{L}\p{N}~^]+/u

/** `rpmvercmp`: one part against another. */
export function compareRpmText(a: string, b: string): number {
  let [left, right] = [a, b]
  while (left !== '' || right !== '') {
    left = left.replace(SEPARATORS, '')
    right = right.replace(SEPARATORS, '')
    const marked = compareMarks(left, right)
    if (marked === 'both') {
      left = left.slice(1)
      right = right.slice(1)
      continue
    }
    if (marked !== undefined) return marked
    if (left === '' || right === '') break
    const run = /^\d/.test(left) ? /^\d*/ : /^\p{L}*/u
    const one = run.exec(left)![0]
    const other = run.exec(right)![0]
    if (other === '') return /^\d/.test(one) ? 1 : -1
    const order = compareRuns(one, other)
    if (order !== 0) return order
    left = left.slice(one.length)
    right = right.slice(other.length)
  }
  if (left === '' && right === '') return 0
  return left === '' ? -1 : 1
}

function compareMarks(left: string, right: string): number | 'both' | undefined {
  if (left.startsWith('~') || right.startsWith('~')) {
    if (!left.startsWith('~')) return 1
    return right.startsWith('~') ? 'both' : -1
  }
  if (!left.startsWith('^') && !right.startsWith('^')) return undefined
  if (left === '') return -1
  if (right === '') return 1
  if (!left.startsWith('^')) return 1
  return right.startsWith('^') ? 'both' : -1
}

function compareRuns(one: string, other: string): number {
  if (!/^\d/.test(one)) return one === other ? 0 : one > other ? 1 : -1
  const [a, b] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')]
  if (a.length !== b.length) return a.length > b.length ? 1 : -1
  return a === b ? 0 : a > b ? 1 : -1
}
