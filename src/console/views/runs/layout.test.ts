import { describe, expect, it } from 'vitest'
import { edgePath, type GraphLayout, type GraphNode, layersOf, layoutGraph } from './layout.ts'

const SIZES = { width: 100, height: 40, gapX: 50, gapY: 10 }

const graph = (edges: Record<string, string[]>): GraphNode[] =>
  Object.entries(edges).map(([key, requires]) => ({ key, requires }))

const at = (layout: GraphLayout, key: string) => layout.nodes.find((node) => node.key === key)!

/** Pairs of boxes that lie on each other. */
const overlaps = ({ nodes }: GraphLayout): string[] =>
  nodes.flatMap((one, index) =>
    nodes
      .slice(index + 1)
      .filter((other) => one.x === other.x && Math.abs(one.y - other.y) < SIZES.height)
      .map((other) => `${one.key} ${other.key}`),
  )

describe('the layout of a graph', () => {
  it('places each node after the nodes that it requires', () => {
    const layers = layersOf(graph({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'], e: ['a', 'd'] }))
    expect(Object.fromEntries(layers)).toEqual({ a: 0, b: 1, c: 1, d: 2, e: 3 })
  })

  it('keeps the order of steps that require nothing', () => {
    const { nodes, edges, width, height } = layoutGraph(graph({ c: [], a: [], b: [] }), SIZES)
    expect(nodes.map(({ key, x, y }) => [key, x, y])).toEqual([
      ['c', 0, 0],
      ['a', 0, 50],
      ['b', 0, 100],
    ])
    expect([edges, width, height]).toEqual([[], 100, 140])
  })

  it('draws a line in one row, and edges from side to side', () => {
    const layout = layoutGraph(graph({ a: [], b: ['a'], c: ['b'] }), SIZES)
    expect(layout.nodes.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [150, 0],
      [300, 0],
    ])
    expect(layout.edges[0]).toEqual({
      from: 'a',
      to: 'b',
      points: [
        [100, 20],
        [150, 20],
      ],
    })
  })

  it('leads an edge past the boxes between', () => {
    const layout = layoutGraph(graph({ a: [], b: ['a'], c: ['b', 'a'] }), SIZES)
    const long = layout.edges.find(({ from, to }) => from === 'a' && to === 'c')!
    expect(long.points).toHaveLength(4)
    const [, [, y]] = long.points as unknown as [unknown, [number, number]]
    const box = at(layout, 'b')
    expect(y < box.y || y > box.y + SIZES.height).toBe(true)
  })

  it('does not cross lines that need not cross', () => {
    const layout = layoutGraph(graph({ a: [], b: [], c: ['b'], d: ['a'] }), SIZES)
    expect(at(layout, 'd').y).toBeLessThan(at(layout, 'c').y)
  })

  it('draws circles, unknown names and names that occur twice', () => {
    const layout = layoutGraph(graph({ a: ['c', 'a'], b: ['a', 'a', 'gone'], c: ['b'] }), SIZES)
    expect(layout.nodes).toHaveLength(3)
    // the edge that would close the circle is left out
    expect(layout.edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(['b c', 'c a'])
    expect(layoutGraph([], SIZES)).toEqual({ nodes: [], edges: [], width: 0, height: 0 })
  })

  it('lets no boxes lie on each other in a wide graph', () => {
    const nodes = Array.from({ length: 200 }, (_, index) => ({
      key: `n${index}`,
      requires: Array.from({ length: index % 4 }, (_, each) => `n${Math.floor((index * (each + 1)) / 5)}`),
    }))
    const layout = layoutGraph(nodes, SIZES)
    expect(layout.nodes).toHaveLength(200)
    expect(overlaps(layout)).toEqual([])
    for (const { key, layer } of layout.nodes) {
      for (const required of nodes.find((node) => node.key === key)!.requires)
        if (required !== key) expect(at(layout, required).layer).toBeLessThan(layer)
    }
  })
})

it('writes the path of a line', () => {
  expect(
    edgePath([
      [0, 0],
      [50, 0],
      [100, 20],
    ]),
  ).toBe('M0 0L50 0C75 0 75 20 100 20')
})
