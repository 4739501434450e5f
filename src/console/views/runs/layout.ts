// The positions of a graph's boxes: one column per layer, so that every edge goes from left to right.

export interface GraphNode {
  key: string
  /** The keys of the nodes that come before this one. */
  requires: readonly string[]
}

export interface GraphSizes {
  width: number
  height: number
  /** Between columns, and between the boxes of a column. */
  gapX: number
  gapY: number
}

export interface Placed {
  key: string
  x: number
  y: number
  layer: number
}

export interface Edge {
  from: string
  to: string
  /** The corners of the line, from the right side of a box to the left side of another. */
  points: ReadonlyArray<readonly [x: number, y: number]>
}

export interface GraphLayout {
  nodes: Placed[]
  edges: Edge[]
  width: number
  height: number
}

/** A place in a column: a box, or where an edge passes to a later column. */
interface Slot {
  id: string
  layer: number
  isBox: boolean
  before: Slot[]
  after: Slot[]
  y: number
}

const SWEEPS = 6

/** Return the layer of each node: behind all that it requires. An edge that would close a circle is left out. */
export function layersOf(nodes: readonly GraphNode[]): Map<string, number> {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const layers = new Map<string, number>()
  const open = new Set<string>()
  const visit = (key: string): number => {
    const known = layers.get(key)
    if (known !== undefined) return known
    open.add(key)
    let layer = 0
    for (const required of byKey.get(key)!.requires) {
      if (byKey.has(required) && !open.has(required)) layer = Math.max(layer, visit(required) + 1)
    }
    open.delete(key)
    layers.set(key, layer)
    return layer
  }
  for (const { key } of nodes) visit(key)
  return layers
}

/** Place the boxes and lines of a graph. */
export function layoutGraph(nodes: readonly GraphNode[], sizes: GraphSizes): GraphLayout {
  const layers = layersOf(nodes)
  const boxes = new Map<string, Slot>()
  const columns: Slot[][] = []
  const add = (id: string, layer: number, isBox: boolean): Slot => {
    const slot = { id, layer, isBox, before: [], after: [], y: 0 }
    while (columns.length <= layer) columns.push([])
    columns[layer]!.push(slot)
    return slot
  }
  for (const { key } of nodes) boxes.set(key, add(key, layers.get(key)!, true))
  const paths = nodes.flatMap(({ key, requires }) =>
    [...new Set(requires)].flatMap((required) => {
      const [from, to] = [boxes.get(required), boxes.get(key)!]
      return from && from.layer < to.layer ? [passage(from, to, add)] : []
    }),
  )
  order(columns)
  stand(columns, sizes)
  return drawn(columns, paths, sizes)
}

/** Lead an edge through the columns between two boxes. */
function passage(from: Slot, to: Slot, add: (id: string, layer: number, isBox: boolean) => Slot): Slot[] {
  const path = [from]
  for (let layer = from.layer + 1; layer < to.layer; layer++) path.push(add(`${from.id} ${to.id}`, layer, false))
  path.push(to)
  for (let at = 1; at < path.length; at++) {
    path[at - 1]!.after.push(path[at]!)
    path[at]!.before.push(path[at - 1]!)
  }
  return path
}

/** Sort slots near their neighbours, so that few lines cross. */
function order(columns: Slot[][]): void {
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0
    const turn = isForward ? columns : [...columns].reverse()
    const places = new Map<Slot, number>()
    for (const column of columns) for (const [at, slot] of column.entries()) places.set(slot, at)
    for (const column of turn) {
      const wish = new Map(
        column.map((slot, at) => {
          const joined = isForward ? slot.before : slot.after
          const middle = joined.reduce((sum, each) => sum + places.get(each)!, 0) / joined.length
          return [slot, joined.length === 0 ? at : middle] as const
        }),
      )
      // the sort is stable: steps keep their written order
      column.sort((one, other) => wish.get(one)! - wish.get(other)!)
      for (const [at, slot] of column.entries()) places.set(slot, at)
    }
  }
}

/** Set the height of each slot: the middle of the preceding ones, as far as the boxes above permit. */
function stand(columns: Slot[][], { height, gapY }: GraphSizes): void {
  const step = height + gapY
  for (const column of columns) {
    let next = 0
    for (const slot of column) {
      const middle = slot.before.reduce((sum, each) => sum + each.y, 0) / slot.before.length
      slot.y = Math.max(next, slot.before.length === 0 ? next : middle)
      next = slot.y + (slot.isBox ? step : step / 2)
    }
  }
}

function drawn(columns: Slot[][], paths: Slot[][], { width, height, gapX }: GraphSizes): GraphLayout {
  const left = (slot: Slot): number => slot.layer * (width + gapX)
  const middle = (slot: Slot): number => slot.y + height / 2
  const slots = columns.flat()
  return {
    nodes: slots
      .filter(({ isBox }) => isBox)
      .map((slot) => ({ key: slot.id, x: left(slot), y: slot.y, layer: slot.layer })),
    edges: paths.map((path) => ({
      from: path[0]!.id,
      to: path.at(-1)!.id,
      points: path.flatMap((slot, at) => {
        const [from, to] = [
          [left(slot), middle(slot)],
          [left(slot) + width, middle(slot)],
        ] as const
        return at === 0 ? [to] : at === path.length - 1 ? [from] : [from, to]
      }),
    })),
    width: columns.length === 0 ? 0 : columns.length * (width + gapX) - gapX,
    height: Math.max(0, ...slots.map(({ y }) => y + height)),
  }
}

/** Return the path of SVG through the corners of a line, with soft bends between columns. */
export function edgePath(points: Edge['points']): string {
  return points
    .map(([x, y], at) => {
      if (at === 0) return `M${x} ${y}`
      const [beforeX, beforeY] = points[at - 1]!
      if (beforeY === y) return `L${x} ${y}`
      const bend = (beforeX + x) / 2
      return `C${bend} ${beforeY} ${bend} ${y} ${x} ${y}`
    })
    .join('')
}
