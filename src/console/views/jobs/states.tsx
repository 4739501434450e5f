// The results of the states of one minion, failures and changes first.
import { useEffect, useRef } from 'preact/hooks'
import { counted, duration } from '../../format.ts'
import { Badge } from '../../ui/basic.tsx'
import { Changes } from './changes.tsx'
import type { Column } from './matrix-rows.ts'
import { changesFirst, findState, SIGN_NAMES, SIGN_TONES, type StateResult } from './results.ts'

function State({ state, place, isChosen }: { state: StateResult; place: string | null; isChosen: boolean }) {
  const box = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (!isChosen) return
    box.current!.open = true
    box.current!.scrollIntoView({ block: 'nearest' })
  }, [isChosen, state.key])
  const { sign, id, name, sls, comment, changes } = state
  return (
    <details
      ref={box}
      class="state"
      data-active={isChosen}
      open={isChosen || sign === 'f' || sign === 'c' || sign === 't'}
    >
      <summary>
        <Badge tone={SIGN_TONES[sign]}>{SIGN_NAMES[sign]}</Badge>
        <strong class="wrap">{id}</strong>
        <span class="muted small">{state.function}</span>
        <span class="muted small right grow">{duration(state.duration)}</span>
      </summary>
      <div class="stack">
        {comment !== '' && <p class="prose">{comment.slice(0, 20_000)}</p>}
        <Changes value={changes} />
        <dl class="facts small">
          {name !== id && (
            <>
              <dt>name</dt>
              <dd class="mono">{name}</dd>
            </>
          )}
          <dt>written in</dt>
          <dd class="mono">{place ?? sls}</dd>
        </dl>
      </div>
    </details>
  )
}

/** The results of one minion; `chosen` is the column of the state to show. */
export function States({
  states,
  columns,
  chosen,
}: {
  states: readonly StateResult[]
  columns: readonly Column[]
  chosen: Column | undefined
}) {
  const active = chosen && findState(states, chosen)
  const places = new Map(columns.map((column) => [JSON.stringify([column.id, column.function]), column.place]))
  const placeOf = (state: StateResult): string | null => places.get(JSON.stringify([state.id, state.function])) ?? null
  const sorted = changesFirst(states)
  const loud = sorted.filter((state) => state.sign !== 's' || state === active)
  const quiet = sorted.filter((state) => !loud.includes(state))
  const show = (state: StateResult) => (
    <State key={state.key} state={state} place={placeOf(state)} isChosen={state === active} />
  )
  return (
    <div class="states">
      {loud.map(show)}
      {quiet.length > 0 &&
        (loud.length === 0 && quiet.length <= 20 ? (
          quiet.map(show)
        ) : (
          <details class="quiet-states">
            <summary>{counted(quiet.length, 'state')} without changes</summary>
            {quiet.map(show)}
          </details>
        ))}
    </div>
  )
}
