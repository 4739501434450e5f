// The target of a command, and the minions that it means while it is typed.
import { useState } from 'preact/hooks'
import { type Data, read } from '../../api/client.ts'
import { count, counted } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Button, Field, Notice, ProblemNotice, Select } from '../../ui/basic.tsx'
import { compoundTerm, isTargetKind, TARGET_KINDS, type TargetKind } from './command.ts'
import { useRested } from './later.ts'

const CHIPS = 24

const KINDS = Object.entries(TARGET_KINDS).map(([kind, { name }]) => [kind, name] as const)

/** The kind of the target in the address. */
export function targetKind(): TargetKind {
  const kind = param('targetType', 'glob')
  return isTargetKind(kind) ? kind : 'glob'
}

type Targeted = Data<'/v1/targets'>

/** Query the minions of the target in the address. */
export function useTargeted() {
  const [target, targetType] = useRested([param('target').trim(), targetKind()] as const)
  const state = useResource(
    async (signal) =>
      target === ''
        ? { data: undefined as Targeted | undefined, number: 0 }
        : read('/v1/targets', { query: { target, targetType, limit: CHIPS }, signal }),
    [target, targetType],
    {
      // accepted and deleted keys change the minions of a target
      apply: (_, { tag }) => (/^salt\/(key|auth|minion\/[^/]+\/start)/.test(tag) ? 'reload' : undefined),
      reloadMs: 3000,
    },
  )
  return { ...state, isStale: target !== param('target').trim() || targetType !== targetKind() }
}

function Meant({ targeted }: { targeted: ReturnType<typeof useTargeted> }) {
  const { data, problem, isStale } = targeted
  if (problem) {
    return problem.status === 403 ? (
      <p class="muted small">Who is meant cannot be shown: {problem.message}.</p>
    ) : (
      <ProblemNotice problem={problem} />
    )
  }
  if (!data) return <p class="muted small">Name minions to see who is meant.</p>
  if (data.problem !== null) return <Notice tone="failed">{data.problem.slice(0, 1000)}</Notice>
  return (
    <div class="stack meant" aria-busy={isStale} role="status">
      <strong>{data.total === 0 ? 'No accepted minion is meant' : counted(data.total, 'minion')}</strong>
      <div class="chips">
        {data.minions.map((id) => (
          <a key={id} class="chip" href={href(['minions', id])}>
            {id}
          </a>
        ))}
        {data.total > data.minions.length && (
          <span class="muted">and {count(data.total - data.minions.length)} more</span>
        )}
      </div>
      {data.missing.length > 0 && (
        <p class="tone-changed small wrap">No accepted minions: {data.missing.slice(0, 20).join(', ')}</p>
      )}
    </div>
  )
}

const JOINS = [
  ['and', 'and'],
  ['or', 'or'],
  ['and not', 'and not'],
] as const

/** Joins a further condition to the target, which becomes a compound expression. */
function Builder() {
  const [join, setJoin] = useState<string>('and')
  const [kind, setKind] = useState<string>('grain')
  const [text, type] = useState('')
  const add = (): void => {
    const term = compoundTerm(kind as TargetKind, text.trim())
    const before = param('target').trim()
    const first = compoundTerm(targetKind(), before)
    const whole =
      before === '' ? term : targetKind() === 'compound' ? `${before} ${join} ${term}` : `${first} ${join} ${term}`
    setParams({ target: whole, targetType: 'compound' })
    type('')
  }
  return (
    <div class="toolbar" role="group" aria-label="Further condition">
      <Select label="How the condition joins" value={join} options={JOINS} onChange={setJoin} />
      <Select
        label="Kind of the condition"
        value={kind}
        options={KINDS.filter(([each]) => each !== 'compound' && each !== 'pillar_exact')}
        onChange={setKind}
      />
      <input
        class="input grow"
        aria-label="Condition"
        placeholder={TARGET_KINDS[kind as TargetKind].example}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (text.trim() !== '') add()
        }}
      />
      <Button icon="plus" disabled={text.trim() === ''} onClick={add}>
        Add condition
      </Button>
    </div>
  )
}

function Nodegroups() {
  const { data } = useResource((signal) => read('/v1/nodegroups', { signal }), [])
  if (!data || data.items.length === 0) return null
  return (
    <div class="chips" role="group" aria-label="Nodegroups">
      <span class="muted small">Nodegroups:</span>
      {data.items.map(({ name, expression, minions }) => (
        <button
          type="button"
          key={name}
          class="chip"
          title={expression.slice(0, 500)}
          aria-pressed={targetKind() === 'nodegroup' && param('target') === name}
          onClick={() => setParams({ target: name, targetType: 'nodegroup' })}
        >
          {name}
          {minions !== null && <span class="muted"> {count(minions)}</span>}
        </button>
      ))}
    </div>
  )
}

export function Target({ targeted }: { targeted: ReturnType<typeof useTargeted> }) {
  const kind = targetKind()
  return (
    <div class="stack">
      <div class="run-target">
        <Field label="Kind of target">
          {(ids) => (
            <select
              {...ids}
              class="select"
              value={kind}
              onChange={(event) => setParams({ targetType: event.currentTarget.value })}
            >
              {KINDS.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Target" hint={`For example ${TARGET_KINDS[kind].example}`}>
          {(ids) => (
            <input
              {...ids}
              class="input mono"
              data-search
              value={param('target')}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              onInput={(event) => setParams({ target: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <Meant targeted={targeted} />
      <Nodegroups />
      <details>
        <summary>Add a condition</summary>
        <Builder />
      </details>
    </div>
  )
}
