// The text of a file with the numbers of its lines. A number is the link to its line.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { counted } from '../../format.ts'
import { href, route } from '../../route.ts'
import { Button } from '../../ui/basic.tsx'
import { highlight } from './highlight.ts'

const MOST = 4000

const Line = ({ number, text, isMarked, link }: { number: number; text: string; isMarked: boolean; link?: string }) => (
  <div class="source-line" data-marked={isMarked} id={link === undefined ? undefined : `line-${number}`}>
    {link === undefined ? (
      <span class="source-number">{number}</span>
    ) : (
      <a class="source-number" href={link} aria-label={`Line ${number}`}>
        {number}
      </a>
    )}
    <code>
      {highlight(text).map(([kind, part], at) => (
        <span key={at} class={kind}>
          {part}
        </span>
      ))}
    </code>
  </div>
)

/** A text with numbered lines; with `marked` the lines are links, and that line is shown. */
export function Source({ text, marked, label }: { text: string; marked?: number; label: string }) {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const [most, show] = useState(MOST)
  const box = useRef<HTMLDivElement>(null)
  const params = Object.fromEntries(route.value.query)
  useEffect(() => {
    if (marked === undefined || marked === 0) return
    show((shown) => Math.max(shown, marked + 100))
    requestAnimationFrame(() => box.current?.querySelector(`#line-${marked}`)?.scrollIntoView({ block: 'nearest' }))
  }, [marked, text])
  return (
    <div class="source" ref={box} tabIndex={0} role="region" aria-label={label}>
      {lines.slice(0, most).map((line, at) => (
        <Line
          key={at}
          number={at + 1}
          text={line}
          isMarked={at + 1 === marked}
          {...(marked !== undefined && {
            link: href('files', { ...params, line: at + 1 === marked ? null : at + 1 }),
          })}
        />
      ))}
      {lines.length > most && (
        <Button kind="plain" onClick={() => show(most + MOST)}>
          {counted(lines.length - most, 'more line')}
        </Button>
      )}
    </div>
  )
}
