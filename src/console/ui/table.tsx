// A table of any length: only the rows that can be seen are drawn.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

export interface Column<T> {
  key: string
  title: ComponentChildren
  /** A CSS grid width, such as `120px` or `minmax(160px, 2fr)`. */
  width: string
  cell(row: T): ComponentChildren
  /** Whether the title sorts. */
  canSort?: boolean
  isRight?: boolean
}

interface Props<T> {
  label: string
  rows: readonly T[]
  columns: ReadonlyArray<Column<T>>
  rowKey(row: T): string
  /** Sorted by the key of a column; a leading minus reverses it. */
  sort?: string
  onSort?(sort: string): void
  /** Called for a click or Enter on a row. */
  onOpen?(row: T): void
  active?: string | undefined
  /** The least width, below which the table scrolls sideways. */
  minWidth?: number
  rowHeight?: number
  fill?: boolean
  /** Shown instead of rows. */
  empty?: ComponentChildren
  /** Called when the last rows are near, to load more. */
  onEnd?(): void
  /** The number of all rows, if only some are loaded. */
  total?: number
}

const ROW = 34
const OVERSCAN = 12

type Options = VirtualizerOptions<HTMLElement, Element>

/** Follow the scrolling of an element and say which rows are in sight. */
function useRows(count: number, size: number, box: { current: HTMLElement | null }) {
  const [, draw] = useState(0)
  const options: Options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => size,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw((turn) => turn + 1),
  }
  const virtual = useMemo(() => new Virtualizer(options), [])
  virtual.setOptions(options)
  useLayoutEffect(() => virtual._didMount(), [])
  useLayoutEffect(() => virtual._willUpdate())
  return virtual
}

const nextSort = (key: string, sort: string | undefined): string => (sort === key ? `-${key}` : key)

function Head<T>({ columns, sort, onSort }: Pick<Props<T>, 'columns' | 'sort' | 'onSort'>) {
  const orderOf = (key: string) => (sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined)
  return (
    <div role="rowgroup" class="head">
      <div role="row" aria-rowindex={1}>
        {columns.map(({ key, title, canSort, isRight }) => (
          <div key={key} role="columnheader" class={isRight ? 'right' : ''} aria-sort={orderOf(key)}>
            {canSort && onSort ? (
              <button type="button" onClick={() => onSort(nextSort(key, sort))}>
                {title}
                {orderOf(key) && <Icon name={orderOf(key) === 'ascending' ? 'up' : 'down'} />}
              </button>
            ) : (
              title
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

interface RowProps<T> {
  row: T
  columns: ReadonlyArray<Column<T>>
  index: number
  start: number
  height: number
  isActive: boolean
  onOpen: ((row: T) => void) | undefined
  onMove(event: KeyboardEvent, index: number): void
}

/** A row. It is drawn again only when one of its properties is another, or a signal that its cells read: not by scrolling. */
const Row = <T,>({ row, columns, index, start, height, isActive, onOpen, onMove }: RowProps<T>) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    data-index={index}
    data-active={isActive}
    tabIndex={onOpen ? 0 : -1}
    style={{ transform: `translateY(${start}px)`, height: `${height}px` }}
    onClick={(event) => {
      if (!(event.target as Element).closest('a, button, input')) onOpen?.(row)
    }}
    onKeyDown={(event) => {
      if (event.target === event.currentTarget && event.key === 'Enter') onOpen?.(row)
      else onMove(event, index)
    }}
  >
    {columns.map((column) => (
      <div key={column.key} role="cell" class={column.isRight ? 'right' : ''}>
        {column.cell(row)}
      </div>
    ))}
  </div>
)

export function Table<T>(props: Props<T>) {
  const { rows, columns, rowKey, onOpen, active, minWidth, rowHeight = ROW, total = rows.length, onEnd } = props
  const box = useRef<HTMLDivElement>(null)
  const virtual = useRows(rows.length, rowHeight, box)
  const items = virtual.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && lastShown >= rows.length - OVERSCAN) onEnd?.()
  }, [lastShown, rows.length])
  // arrows move between rows; a row that is not drawn yet is scrolled to first
  const move = (event: KeyboardEvent, index: number): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key]
    if (step === undefined || index + step < 0 || index + step >= rows.length) return
    event.preventDefault()
    virtual.scrollToIndex(index + step)
    const row = () => box.current?.querySelector<HTMLElement>(`[data-index="${index + step}"]`)
    if (row()) row()!.focus({ preventScroll: true })
    else requestAnimationFrame(() => row()?.focus())
  }
  const latest = useRef(move)
  latest.current = move
  const onMove = useMemo(() => (event: KeyboardEvent, index: number) => latest.current(event, index), [])
  const width = { '--columns': columns.map((each) => each.width).join(' '), '--table-width': `${minWidth ?? 0}px` }
  return (
    <div
      ref={box}
      class={props.fill ? 'table fill' : 'table'}
      style={width}
      role="table"
      aria-label={props.label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      tabIndex={0}
    >
      <Head
        columns={columns}
        {...(props.sort !== undefined && { sort: props.sort })}
        {...(props.onSort && { onSort: props.onSort })}
      />
      {rows.length === 0 && props.empty}
      <div role="rowgroup" class="rows" style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const key = rowKey(row)
          return (
            <Row
              key={key}
              row={row}
              columns={columns}
              index={index}
              start={start}
              height={rowHeight}
              isActive={key === active}
              onOpen={onOpen}
              onMove={onMove}
            />
          )
        })}
      </div>
    </div>
  )
}
