// The width of a part of a pattern in characters; a look-behind needs an exact one.
import { type RegexNode, UNBOUNDED } from './ast.ts'

export type Width = readonly [min: number, max: number]

const capped = (min: number, max: number): Width => [Math.min(min, UNBOUNDED - 1), Math.min(max, UNBOUNDED)]

/** Return the width of a node; `groups` holds the widths of closed groups. */
export function widthOf(node: RegexNode, groups: ReadonlyArray<Width | undefined>): Width {
  switch (node.kind) {
    case 'set':
      return [1, 1]
    case 'anchor':
    case 'boundary':
    case 'look':
      return [0, 0]
    case 'sequence':
      return sum(node.items.map((item) => widthOf(item, groups)))
    case 'branch':
      return either(node.alternatives.map((item) => widthOf(item, groups)))
    case 'group':
    case 'atomic':
      return widthOf(node.body, groups)
    case 'repeat': {
      const [min, max] = widthOf(node.body, groups)
      return capped(min * node.min, max * node.max)
    }
    case 'backref':
      return groups[node.group] ?? [0, 0]
    case 'conditional':
      return either([widthOf(node.yes, groups), node.no === undefined ? [0, 0] : widthOf(node.no, groups)])
  }
}

function sum(widths: readonly Width[]): Width {
  let [min, max] = [0, 0]
  for (const width of widths) {
    min += width[0]
    max += width[1]
  }
  return capped(min, max)
}

function either(widths: readonly Width[]): Width {
  return capped(Math.min(...widths.map(([min]) => min)), Math.max(...widths.map(([, max]) => max)))
}
