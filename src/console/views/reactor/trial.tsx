// A dry run of the reactor: its reaction to a past event, or to a made-up one.
import { useEffect, useState } from 'preact/hooks'
import { type Data, Problem, post, read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Badge, Button, Card, Empty, Field, Notice, ProblemNotice, Select, Time } from '../../ui/basic.tsx'
import { Tree } from '../../ui/values.tsx'
import { readData } from '../events/fire.tsx'
import { matches } from './matching.ts'
import { readRules } from './rules.tsx'

type Preview = Awaited<ReturnType<typeof tryEvent>>
type PastEvent = Data<'/v1/events'>['items'][number]

const tryEvent = (body: { event: number } | { tag: string; data: Record<string, unknown>; origin?: string }) =>
  post('/v1/reactor/test', { body })

const LOOKED = 1000
const OFFERED = 50

/** Events of the journal that meet a rule, newest first. */
async function readCandidates(signal: AbortSignal): Promise<{ data: PastEvent[]; number: number }> {
  const [rules, past] = await Promise.all([
    readRules(signal),
    read('/v1/events', { query: { format: 'json', limit: LOOKED }, signal }),
  ])
  const found = past.data.items.filter(({ tag }) => matches(rules.data.items, tag))
  return { data: found.reverse().slice(0, OFFERED), number: past.number }
}

function Result({ preview }: { preview: Preview }) {
  const isNothing = preview.matched.length === 0
  return (
    <Card title="What the reactor would do">
      <div class="stack">
        {isNothing && <p>No rule answers this event.</p>}
        {preview.matched.map(({ tag, files }) => (
          <div key={tag} class="wrap">
            The rule <strong class="mono">{tag}</strong> answers with <span class="mono">{files.join(', ')}</span>
          </div>
        ))}
        {preview.errors.map((text) => (
          <Notice key={text} tone="failed">
            {text}
          </Notice>
        ))}
        {!isNothing && preview.errors.length === 0 && preview.calls.length === 0 && <p>Nothing would be called.</p>}
        {preview.calls.map((call, at) => (
          <div key={at} class="planned-call">
            <div class="row">
              <Badge tone={call.error === null ? 'info' : 'failed'}>{call.kind}</Badge>
              <strong>{call.function}</strong>
              {call.target !== null && <span class="muted wrap">on {String(call.target)}</span>}
            </div>
            <div class="small muted wrap">
              {call.id} {call.file && <span class="mono">in {call.file}</span>}
            </div>
            {call.error !== null && <Notice tone="failed">{call.error}</Notice>}
            {(call.args.length > 0 || Object.keys(call.kwargs).length > 0) && (
              <Tree value={{ ...(call.args.length > 0 && { args: call.args }), ...call.kwargs }} open={2} />
            )}
          </div>
        ))}
        <p class="small muted">Nothing was run.</p>
      </div>
    </Card>
  )
}

/** The event of the journal that the address names. */
function PastForm() {
  const { data, problem, isLoading, reload } = useResource(readCandidates, [])
  return (
    <div class="stack" aria-busy={isLoading && !data}>
      <Field label="Event" hint="The number of an event of the journal">
        {(ids) => (
          <input
            {...ids}
            class="input"
            inputMode="numeric"
            pattern="\d*"
            value={param('event')}
            onInput={(event) => setParams({ event: event.currentTarget.value.replace(/\D/g, '') })}
          />
        )}
      </Field>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data && data.length > 0 && (
        <ul class="candidates" aria-label="Past events that meet a rule">
          {data.map(({ number, tag, stamp }) => (
            <li key={number}>
              <a
                href={href('reactor', { tab: 'test', event: number })}
                aria-current={param('event') === String(number) ? 'true' : undefined}
              >
                <span class="mono clip grow">{tag}</span>
                <span class="small muted">
                  <Time at={stamp} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {data?.length === 0 && <p class="small muted">None of the last {LOOKED} events meets a rule.</p>}
    </div>
  )
}

function OwnForm({ onTry }: { onTry(): void }) {
  const { wrong } = readData(param('data'))
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onTry()
      }}
    >
      <Field label="Tag">
        {(ids) => (
          <input
            {...ids}
            class="input mono"
            required
            maxLength={1000}
            spellcheck={false}
            value={param('of')}
            onInput={(event) => setParams({ of: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Data" hint="JSON; the data of the event as reactor files see it" wrong={wrong}>
        {(ids) => (
          <textarea
            {...ids}
            class="textarea"
            rows={6}
            spellcheck={false}
            placeholder="{}"
            value={param('data')}
            onInput={(event) => setParams({ data: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Sender" hint="Such as minion:web1; user where it is empty">
        {(ids) => (
          <input
            {...ids}
            class="input"
            maxLength={300}
            value={param('origin')}
            onInput={(event) => setParams({ origin: event.currentTarget.value })}
          />
        )}
      </Field>
      <div class="row">
        <Button type="submit" kind="primary" disabled={wrong !== undefined || param('of') === ''}>
          Try it
        </Button>
      </div>
    </form>
  )
}

export function Trial() {
  const [preview, show] = useState<Preview | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const isOwn = param('kind') === 'own'
  const event = /^\d{1,15}$/.test(param('event')) && !isOwn ? Number(param('event')) : undefined
  const attempt = async (
    body: Parameters<typeof tryEvent>[0],
    isCurrent: () => boolean = () => true,
  ): Promise<void> => {
    try {
      const made = await tryEvent(body)
      if (!isCurrent()) return
      show(made)
      setProblem(undefined)
    } catch (error) {
      if (!isCurrent()) return
      show(undefined)
      setProblem(error instanceof Problem ? error : new Problem(0, String(error)))
    }
  }
  useEffect(() => {
    show(undefined)
    setProblem(undefined)
    let isCurrent = true
    // a dry run has no effect, so the selected event is tried at once
    if (event !== undefined) void attempt({ event }, () => isCurrent)
    return () => {
      isCurrent = false
    }
  }, [event, isOwn])
  return (
    <div class="grid">
      <Card
        title="Event"
        actions={
          <div class="trial-kind">
            <Select
              label="Kind of event"
              value={isOwn ? 'own' : 'past'}
              options={[
                ['past', 'From the journal'],
                ['own', 'Made up'],
              ]}
              onChange={(kind) => setParams({ kind: kind === 'own' ? kind : null })}
            />
          </div>
        }
      >
        {isOwn ? (
          <OwnForm
            onTry={() => {
              const origin = param('origin').trim()
              void attempt({
                tag: param('of'),
                data: readData(param('data')).data ?? {},
                ...(origin !== '' && { origin }),
              })
            }}
          />
        ) : (
          <PastForm />
        )}
      </Card>
      {problem && <ProblemNotice problem={problem} />}
      {preview && <Result preview={preview} />}
      {!preview && !problem && (
        <Empty title="A dry run">
          <p>Choose an event. The files that answer it are rendered, and the calls are shown; nothing is run.</p>
        </Empty>
      )}
    </div>
  )
}
