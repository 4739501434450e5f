// A file as a minion sees it: rendered by a job on that minion, with its grains and its pillar.
import { useEffect, useRef, useState } from 'preact/hooks'
import { get, Problem } from '../../api/client.ts'
import { shellValue, shellWord } from '../../format.ts'
import { callMinion } from '../../live/answers.ts'
import { param, setParams } from '../../route.ts'
import { seemsAllowed } from '../../session.ts'
import { Button, CopyMenu, Notice, ProblemNotice, Select } from '../../ui/basic.tsx'
import { Shown } from '../../ui/values.tsx'
import { slsName } from './paths.ts'
import { Source } from './source.tsx'

interface Call {
  function: string
  args: unknown[]
  kwargs: Record<string, unknown>
}

/** Ways to render, by the value in the address. */
const WAYS = {
  text: 'Text behind Jinja',
  data: 'Data behind Jinja and YAML',
  states: 'States that it gives',
} as const

type Way = keyof typeof WAYS

function callOf(way: Way, path: string, saltenv: string): Call {
  const env = saltenv === 'base' ? {} : { saltenv }
  if (way === 'states') return { function: 'state.show_sls', args: [slsName(path)], kwargs: env }
  const renderer = way === 'text' ? { default_renderer: 'jinja' } : {}
  return { function: 'slsutil.renderer', args: [`salt://${path}`], kwargs: { ...renderer, ...env } }
}

const commandOf = (minion: string, { function: fun, args, kwargs }: Call): string =>
  [
    'salt',
    shellWord(minion),
    fun,
    ...args.map(shellValue),
    ...Object.entries(kwargs).map(([name, value]) => `${name}=${shellValue(value)}`),
  ].join(' ')

/** A field for a minion id with suggestions. */
function MinionField({ value, onInput }: { value: string; onInput(id: string): void }) {
  const [ids, setIds] = useState<readonly string[]>([])
  useEffect(() => {
    if (!seemsAllowed('runner', 'manage.status')) return undefined
    const abort = new AbortController()
    const query = { ...(value !== '' && { q: value }), state: 'up' as const, limit: 20 }
    get('/v1/minions', { query, signal: abort.signal }).then(
      ({ items }) => setIds(items.map(({ id }) => id)),
      // the field works without proposals
      () => setIds([]),
    )
    return () => abort.abort()
  }, [value])
  return (
    <>
      <input
        class="input"
        list="files-minions"
        value={value}
        placeholder="Minion"
        aria-label="Minion"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value.trim())}
      />
      <datalist id="files-minions">
        {ids.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  )
}

export function Rendered({ path, saltenv }: { path: string; saltenv: string }) {
  const minion = param('minion')
  const name = slsName(path)
  const asked = param('as', 'text') as Way
  const way: Way = asked in WAYS && (asked !== 'states' || name !== undefined) ? asked : 'text'
  const [result, setResult] = useState<{ of: string; value: unknown } | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const call = callOf(way, path, saltenv)
  const of = commandOf(minion, call)
  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    setBusy(true)
    setProblem(undefined)
    try {
      const value = await callMinion(minion, call, abort.signal)
      if (!abort.signal.aborted) setResult({ of, value })
    } catch (error) {
      if (abort.signal.aborted) return
      setResult(undefined)
      setProblem(error instanceof Problem ? error : new Problem(0, String(error)))
    }
    setBusy(false)
  }
  const isCurrent = result?.of === of
  return (
    <>
      <form class="toolbar" onSubmit={(event) => void run(event)}>
        <MinionField value={minion} onInput={(id) => setParams({ minion: id })} />
        <Select
          label="What to show"
          value={way}
          options={(Object.keys(WAYS) as Way[])
            .filter((each) => each !== 'states' || name !== undefined)
            .map((each) => [each, WAYS[each]] as const)}
          onChange={(as) => setParams({ as })}
        />
        <Button type="submit" kind="primary" icon="run" disabled={minion === '' || isBusy}>
          {isBusy ? 'Rendering …' : 'Render'}
        </Button>
        {minion !== '' && <CopyMenu items={[['Command line', () => of]]} />}
      </form>
      {problem && <ProblemNotice problem={problem} />}
      {!isCurrent && !problem && (
        <Notice>
          <span>
            This runs <code>{call.function}</code> on the minion, with its grains and its pillar. Nothing is changed by
            it unless the template itself calls functions that change something.
          </span>
        </Notice>
      )}
      {isCurrent &&
        (typeof result.value === 'string' ? (
          <Source text={result.value} label={`${path} rendered for ${minion}`} />
        ) : (
          <div class="card">
            <div class="body">
              <Shown value={result.value} open={5} />
            </div>
          </div>
        ))}
    </>
  )
}
