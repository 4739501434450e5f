// A limit for the expansion of aliases. An alias of a few characters repeats everything below its anchor, so a document
// of half a kilobyte can contain billions of values. Shared values cost no memory, but are written, compared and sent
// at each reference.
import { markedError } from './errors.ts'
import type { Node } from './node.ts'

/** Bytes of a value, roughly, besides its text. */
const PER_VALUE = 64

/** The same limit as for the largest message: 256 MiB, or four million small values. */
const MOST = 1 << 28

/** The weight of an alias within its own anchor: few of these are harmless, many multiply without end. */
const PER_CIRCLE = MOST >> 5

/** Throw when a document would be too large with every alias written out. */
export function checkExpansion(root: Node, source: string): void {
  const sizes = new Map<Node, number>()
  const sizeOf = (node: Node): number => {
    if (node.kind === 'scalar') return PER_VALUE + node.text.length
    const known = sizes.get(node)
    if (known !== undefined) return known
    sizes.set(node, PER_CIRCLE)
    let size = PER_VALUE
    for (const item of node.items) size += sizeOf(item)
    if (size > MOST) {
      const problem = 'aliases stand for too much data'
      throw markedError('ComposerError', { source, problem, problemMark: node })
    }
    sizes.set(node, size)
    return size
  }
  sizeOf(root)
}
