// An orchestration run as a graph: a box for each step, a line for each requisite.
import { useMemo } from 'preact/hooks'
import { duration } from '../../format.ts'
import { param, setParams } from '../../route.ts'
import { Button, Card, Notice } from '../../ui/basic.tsx'
import { edgePath, layoutGraph } from './layout.ts'
import { STEP_STATES, type Step } from './steps.ts'

const SIZES = { width: 216, height: 58, gapX: 56, gapY: 18 }
const MARGIN = 4
const ZOOMS = [50, 75, 100, 125, 150, 200]
/** Limit of boxes: larger graphs are not readable; the table has all steps. */
const MOST_STEPS = 500
const LONGEST_LINE = 27

const cut = (text: string): string => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text)

const stateLine = ({ state, duration: ms }: Step): string =>
  `${STEP_STATES[state].text}${ms === null ? '' : `, ${duration(ms)}`}`

function Box({ step, x, y, isChosen }: { step: Step; x: number; y: number; isChosen: boolean }) {
  const open = (): void => setParams({ step: isChosen ? null : step.key })
  return (
    <g
      class="box"
      data-state={step.state}
      data-chosen={isChosen}
      transform={`translate(${x} ${y})`}
      role="button"
      tabindex={0}
      aria-pressed={isChosen}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        open()
      }}
    >
      <rect width={SIZES.width} height={SIZES.height} rx="6" />
      <rect class="edge" width="4" height={SIZES.height} rx="2" />
      <text x="14" y="18" class="name">
        {cut(step.name)}
      </text>
      <text x="14" y="34">
        {cut(step.function)}
      </text>
      <text x="14" y="50" class="state">
        {cut(stateLine(step))}
      </text>
    </g>
  )
}

export function Graph({ steps }: { steps: readonly Step[] }) {
  // the places depend on names and requisites alone, not on how far the run is
  const shape = JSON.stringify(steps.slice(0, MOST_STEPS + 1).map(({ key, requires }) => [key, requires]))
  const layout = useMemo(() => layoutGraph(steps.slice(0, MOST_STEPS), SIZES), [shape])
  const byKey = useMemo(() => new Map(steps.map((step) => [step.key, step])), [steps])
  const zoom = ZOOMS.includes(Number(param('zoom'))) ? Number(param('zoom')) : 100
  const at = ZOOMS.indexOf(zoom)
  const scale = zoom / 100
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN]
  const set = (next: number | undefined): void => setParams({ zoom: next === 100 ? null : next })
  if (steps.length > MOST_STEPS)
    return <Notice>A graph of {steps.length} steps is too large. The table has them all.</Notice>
  return (
    <Card
      title="Graph"
      flush
      actions={
        <div class="row">
          <Button small title="Smaller" aria-label="Smaller" disabled={at === 0} onClick={() => set(ZOOMS[at - 1])}>
            −
          </Button>
          <span class="small muted">{zoom} %</span>
          <Button
            small
            title="Larger"
            aria-label="Larger"
            disabled={at === ZOOMS.length - 1}
            onClick={() => set(ZOOMS[at + 1])}
          >
            +
          </Button>
        </div>
      }
    >
      <div class="graph-scroll" tabIndex={0} role="region" aria-label="Graph of the run">
        <svg
          width={width * scale}
          height={height * scale}
          viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
          role="group"
          aria-label="Steps and what they require"
        >
          {layout.edges.map(({ from, to, points }) => (
            <path key={`${from} ${to}`} d={edgePath(points)} data-state={byKey.get(from)?.state} />
          ))}
          {layout.nodes.map(({ key, x, y }) => {
            const step = byKey.get(key)
            return step && <Box key={key} step={step} x={x} y={y} isChosen={param('step') === key} />
          })}
        </svg>
      </div>
    </Card>
  )
}
