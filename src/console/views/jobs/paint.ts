// Draws a matrix on a canvas: only the visible part, so that a million cells cost as much as some thousands.
import type { Column, Row } from './matrix-rows.ts'

export const ROW = 22
export const CELL = 20
export const HEAD = 116

/** The data to draw, and the scroll position. */
export interface Scene {
  rows: readonly Row[]
  columns: readonly Column[]
  /** Indexes of columns in display order. */
  order: readonly number[]
  /** How many minions a row represents; shown after its name. */
  countOf?: (row: Row) => number
  left: number
  top: number
  width: number
  height: number
  /** The width of the names of minions. */
  names: number
  cursor: { row: number; column: number } | undefined
  chosen: string
}

const SIGNS = ['s', 'c', 't', 'f', 'k', '!'] as const
type Drawn = (typeof SIGNS)[number]

const TOKENS = {
  page: '--surface',
  ink: '--ink',
  muted: '--ink-2',
  border: '--border',
  accent: '--accent',
  accentSoft: '--accent-soft',
  quiet: '--quiet',
  ok: '--ok',
  okSoft: '--ok-soft',
  changed: '--changed',
  changedSoft: '--changed-soft',
  failed: '--failed',
  failedSoft: '--failed-soft',
  info: '--info',
  infoSoft: '--info-soft',
} as const

type Colours = Record<keyof typeof TOKENS, string>

/** Read the present colours of the style, light or dark. */
function readColours(box: Element): Colours {
  const probe = document.createElement('i')
  box.append(probe)
  const colours = Object.fromEntries(
    Object.entries(TOKENS).map(([name, token]) => {
      probe.style.color = `var(${token})`
      return [name, getComputedStyle(probe).color]
    }),
  ) as Colours
  probe.remove()
  return colours
}

const FACES: Readonly<Record<Drawn, { fill: keyof Colours; ink: keyof Colours; mark: string }>> = {
  s: { fill: 'okSoft', ink: 'ok', mark: '·' },
  c: { fill: 'changedSoft', ink: 'changed', mark: '±' },
  t: { fill: 'infoSoft', ink: 'info', mark: '?' },
  f: { fill: 'failed', ink: 'page', mark: '×' },
  k: { fill: 'quiet', ink: 'muted', mark: '–' },
  '!': { fill: 'failedSoft', ink: 'failed', mark: '!' },
}

const FONT = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'

/** The faces of cells, drawn once for a scheme of colours. */
function drawFaces(colours: Colours, ratio: number): Map<string, HTMLCanvasElement> {
  return new Map(
    SIGNS.map((sign) => {
      const canvas = document.createElement('canvas')
      canvas.width = CELL * ratio
      canvas.height = ROW * ratio
      const context = canvas.getContext('2d')!
      const { fill, ink, mark } = FACES[sign]
      context.scale(ratio, ratio)
      context.fillStyle = colours[fill]
      context.fillRect(1, 2, CELL - 2, ROW - 4)
      context.fillStyle = colours[ink]
      context.font = `bold 14px ${FONT.slice(5)}`
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      context.fillText(mark, CELL / 2, ROW / 2 + 1)
      return [sign, canvas]
    }),
  )
}

const MOST_CUTS = 5000

export class Painter {
  private readonly canvas: HTMLCanvasElement
  private readonly colours: Colours
  private readonly ratio = Math.min(2, devicePixelRatio || 1)
  private readonly faces: Map<string, HTMLCanvasElement>
  /** Texts that were cut, by their width and text: measuring is slow. */
  private readonly cuts = new Map<string, string>()

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas
    this.colours = readColours(canvas.parentElement!)
    this.faces = drawFaces(this.colours, this.ratio)
  }

  paint(scene: Scene): void {
    const { canvas, ratio, colours } = this
    const [width, height] = [Math.round(scene.width * ratio), Math.round(scene.height * ratio)]
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width
      canvas.height = height
    }
    const context = canvas.getContext('2d')!
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.fillStyle = colours.page
    context.fillRect(0, 0, scene.width, scene.height)
    context.font = FONT
    context.textBaseline = 'middle'
    this.cells(context, scene)
    this.names(context, scene)
    this.head(context, scene)
    this.cursor(context, scene)
  }

  private range({ top, left, width, height, names, rows, order }: Scene) {
    return {
      firstRow: Math.max(0, Math.floor(top / ROW)),
      lastRow: Math.min(rows.length, Math.ceil((top + height - HEAD) / ROW)),
      firstColumn: Math.max(0, Math.floor(left / CELL)),
      lastColumn: Math.min(order.length, Math.ceil((left + width - names) / CELL)),
    }
  }

  private cells(context: CanvasRenderingContext2D, scene: Scene): void {
    const { rows, order, top, left, names, chosen } = scene
    const { firstRow, lastRow, firstColumn, lastColumn } = this.range(scene)
    for (let index = firstRow; index < lastRow; index++) {
      const { cells, minion } = rows[index]!
      const y = HEAD + index * ROW - top
      if (minion === chosen) {
        context.fillStyle = this.colours.accentSoft
        context.fillRect(0, y, scene.width, ROW)
      }
      if (cells === '!') {
        context.fillStyle = this.colours.failed
        context.fillText('no result of states: open the row', names + 6 - left, y + ROW / 2)
        continue
      }
      for (let column = firstColumn; column < lastColumn; column++) {
        const face = this.faces.get(cells[order[column]!] ?? '.')
        if (face) context.drawImage(face, names + column * CELL - left, y, CELL, ROW)
      }
    }
  }

  private names(context: CanvasRenderingContext2D, scene: Scene): void {
    const { rows, top, names, chosen, countOf, height } = scene
    const { firstRow, lastRow } = this.range(scene)
    context.fillStyle = this.colours.page
    context.fillRect(0, 0, names, height)
    for (let index = firstRow; index < lastRow; index++) {
      const row = rows[index]!
      const y = HEAD + index * ROW - top
      if (row.minion === chosen) {
        context.fillStyle = this.colours.accentSoft
        context.fillRect(0, y, names, ROW)
      }
      const many = countOf?.(row) ?? 1
      const label = many > 1 ? `${many.toLocaleString()} like ${row.minion}` : row.minion
      context.fillStyle = row.failed > 0 ? this.colours.failed : this.colours.ink
      context.fillText(this.cut(context, label, names - 16), 8, y + ROW / 2)
    }
    context.fillStyle = this.colours.border
    context.fillRect(names - 1, 0, 1, height)
  }

  private head(context: CanvasRenderingContext2D, scene: Scene): void {
    const { columns, order, left, names, width, cursor } = scene
    const { firstColumn, lastColumn } = this.range(scene)
    context.fillStyle = this.colours.page
    context.fillRect(0, 0, width, HEAD)
    context.save()
    context.beginPath()
    context.rect(names, 0, width - names, HEAD)
    context.clip()
    for (let column = Math.max(0, firstColumn - 4); column < lastColumn; column++) {
      const { id } = columns[order[column]!]!
      context.save()
      context.translate(names + column * CELL - left + CELL / 2, HEAD - 8)
      context.rotate(-Math.PI / 3)
      context.fillStyle = cursor?.column === column ? this.colours.accent : this.colours.muted
      context.fillText(this.cut(context, id, HEAD + 4), 0, 0)
      context.restore()
    }
    context.restore()
    context.fillStyle = this.colours.border
    context.fillRect(0, HEAD - 1, width, 1)
  }

  private cut(context: CanvasRenderingContext2D, text: string, width: number): string {
    const key = `${width} ${text}`
    let found = this.cuts.get(key)
    if (found === undefined) {
      if (this.cuts.size >= MOST_CUTS) this.cuts.clear()
      found = fitted(context, text, width)
      this.cuts.set(key, found)
    }
    return found
  }

  private cursor(context: CanvasRenderingContext2D, { cursor, names, left, top }: Scene): void {
    if (!cursor) return
    const [x, y] = [names + cursor.column * CELL - left, HEAD + cursor.row * ROW - top]
    if (x < names - 1 || y < HEAD - 1) return
    context.strokeStyle = this.colours.accent
    context.lineWidth = 2
    context.strokeRect(x + 1, y + 1, CELL - 2, ROW - 2)
  }
}

/** Cut a text to a width, with an ellipsis. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  const short = text.slice(0, 80)
  if (context.measureText(short).width <= width) return short
  let [low, high] = [0, short.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (context.measureText(`${short.slice(0, middle)}…`).width <= width) low = middle
    else high = middle - 1
  }
  return `${short.slice(0, low)}…`
}
