// Charts over time.
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface Series {
  name: string
  /** The name of a style variable, such as `--accent`. */
  colour: string
  values: readonly (number | null)[]
}

const HEIGHT = 160

function colourOf(box: Element, name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Lines over time; `times` are seconds since 1970. */
export function Chart({
  label,
  times,
  series,
}: {
  label: string
  times: readonly number[]
  series: readonly Series[]
}) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const data = [times, ...series.map(({ values }) => values)] as uPlot.AlignedData
  useEffect(() => {
    const element = box.current!
    const ink = colourOf(element, '--ink-2')
    const grid = { stroke: colourOf(element, '--border'), width: 1 }
    const axis = { stroke: ink, grid, ticks: grid, font: '12px system-ui' }
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { y: false },
        axes: [axis, { ...axis, size: 44 }],
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
        series: [
          {},
          ...series.map(({ name, colour }) => ({
            label: name,
            stroke: colourOf(element, colour),
            width: 1.5,
            points: { show: false },
          })),
        ],
      },
      data,
      element,
    )
    plot.current = chart
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      chart.destroy()
    }
  }, [series.map(({ name }) => name).join()])
  useEffect(() => plot.current?.setData(data), [times, series])
  return <div class="chart" ref={box} role="img" aria-label={label} />
}
