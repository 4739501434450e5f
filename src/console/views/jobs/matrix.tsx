// The matrix of minions and states. The arrow keys move a cursor, Enter opens the cell, and the line below describes
// it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { schemeName } from '../../scheme.ts'
import { isNarrow } from '../../ui/narrow.ts'
import type { Column, Row } from './matrix-rows.ts'
import { CELL, HEAD, Painter, ROW } from './paint.ts'
import { SIGN_NAMES } from './results.ts'

const NAMES = { wide: 210, narrow: 120 }

interface Props {
  rows: readonly Row[]
  columns: readonly Column[]
  order: readonly number[]
  countOf?: (row: Row) => number
  /** The minion that is open. */
  chosen: string
  onOpen(row: Row, column: Column | undefined): void
}

interface Place {
  row: number
  column: number
}

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageDown: [20, 0],
  PageUp: [-20, 0],
  Home: [0, -1e6],
  End: [0, 1e6],
}

const within = (value: number, most: number): number => Math.max(0, Math.min(most - 1, value))

/** Return the description of a cell. */
function spoken({ rows, columns, order, countOf }: Props, place: Place): string {
  const row = rows[place.row]
  if (!row) return ''
  const many = countOf?.(row) ?? 1
  const who = many > 1 ? `${row.minion} and ${many - 1} with the same results` : row.minion
  const column = columns[order[place.column]!]
  if (row.cells === '!' || !column) return `${who}: ${SIGN_NAMES['!']}`
  const sign = row.cells[order[place.column]!] ?? '.'
  return `${who}, ${column.id} (${column.function}): ${SIGN_NAMES[sign] ?? sign}`
}

/** Return a function that redraws in the next frame, at most once per frame. */
function useFrame(draw: () => void): () => void {
  const wanted = useRef(0)
  const latest = useRef(draw)
  latest.current = draw
  useEffect(() => () => cancelAnimationFrame(wanted.current), [])
  return () => {
    cancelAnimationFrame(wanted.current)
    wanted.current = requestAnimationFrame(() => latest.current())
  }
}

export function MatrixCanvas(props: Props) {
  const { rows, columns, order, chosen, onOpen } = props
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const painter = useRef<Painter | undefined>(undefined)
  const [cursor, setCursor] = useState<Place | undefined>(undefined)
  const names = isNarrow.value ? NAMES.narrow : NAMES.wide
  const scheme = schemeName()
  const draw = useFrame(() => {
    // the matrix may be gone before its last frame comes
    if (!box.current) return
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = box.current
    painter.current ??= new Painter(canvas.current!)
    painter.current.paint({ ...props, left, top, width, height, names, cursor })
    canvas.current!.style.width = `${width}px`
    canvas.current!.style.height = `${height}px`
  })
  useEffect(() => {
    const again = (): void => {
      painter.current = undefined
      draw()
    }
    again()
    const system = matchMedia('(prefers-color-scheme: dark)')
    const resized = new ResizeObserver(draw)
    resized.observe(box.current!)
    system.addEventListener('change', again)
    return () => {
      system.removeEventListener('change', again)
      resized.disconnect()
    }
  }, [scheme])
  useEffect(draw)
  const placeAt = ({ clientX, clientY }: MouseEvent): Place | undefined => {
    const { scrollLeft, scrollTop } = box.current!
    const { left, top } = box.current!.getBoundingClientRect()
    const [offsetX, offsetY] = [clientX - left, clientY - top]
    const row = Math.floor((offsetY - HEAD + scrollTop) / ROW)
    if (offsetY < HEAD || row < 0 || row >= rows.length) return undefined
    const column = offsetX < names ? -1 : Math.floor((offsetX - names + scrollLeft) / CELL)
    return column < order.length ? { row, column } : undefined
  }
  const open = (place: Place | undefined): void => {
    const row = place && rows[place.row]
    if (row) onOpen(row, row.cells === '!' ? undefined : columns[order[place.column]!])
  }
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (event.key === 'Enter') open(cursor)
    else if (step) {
      const from = cursor ?? { row: -step[0], column: -Math.sign(step[1]) }
      const next = { row: within(from.row + step[0], rows.length), column: within(from.column + step[1], order.length) }
      setCursor(next)
      reveal(box.current!, next, names)
    } else return
    event.preventDefault()
  }
  const size = { width: `${names + order.length * CELL + 60}px`, height: `${HEAD + rows.length * ROW + 8}px` }
  return (
    <div class="matrix">
      <div
        ref={box}
        class="matrix-box"
        role="application"
        tabIndex={0}
        aria-label={`Matrix of ${rows.length} rows and ${order.length} states. Arrow keys move, Enter opens. The tab Groups has the same as a list.`}
        onScroll={draw}
        onKeyDown={press}
        onClick={(event) => open(placeAt(event))}
        onMouseMove={(event) => {
          const place = placeAt(event)
          if (place && place.column >= 0 && (place.row !== cursor?.row || place.column !== cursor.column))
            setCursor(place)
        }}
        onFocus={() => setCursor(cursor ?? { row: 0, column: 0 })}
      >
        <div class="matrix-size" style={size}>
          <canvas ref={canvas} />
        </div>
      </div>
      <p class="matrix-said small" role="status">
        {cursor ? spoken(props, cursor) : `${chosen === '' ? 'Point at a cell, or use the arrow keys' : chosen}`}
      </p>
    </div>
  )
}

/** Scroll so that a cell is in sight. */
function reveal(box: HTMLElement, { row, column }: Place, names: number): void {
  const [y, x] = [row * ROW, column * CELL]
  const [height, width] = [box.clientHeight - HEAD, box.clientWidth - names]
  if (y < box.scrollTop) box.scrollTop = y
  else if (y + ROW > box.scrollTop + height) box.scrollTop = y + ROW - height
  if (x < box.scrollLeft) box.scrollLeft = x
  else if (x + CELL > box.scrollLeft + width) box.scrollLeft = x + CELL - width
}
