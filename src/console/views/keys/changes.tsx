// Actions on keys: the confirmation, the requests, and the result for each key.
import { signal } from '@preact/signals'
import { post } from '../../api/client.ts'
import { count, counted } from '../../format.ts'
import { Badge, Button, Card } from '../../ui/basic.tsx'
import { ask } from '../../ui/dialog.tsx'
import type { KeyItem } from './compare.ts'

export type Action = 'accept' | 'reject' | 'delete'

/** The server's limit of keys in one request. */
const CHUNK = 100
const MOST_NAMES = 12
const MOST_SHOWN = 500

interface Result {
  id: string
  state: KeyItem['state']
  done: boolean
  reason: string | null
}

interface Changes {
  action: Action
  results: readonly Result[]
  /** How many keys were requested. */
  total: number
}

/** The last action. */
const changes = signal<Changes | undefined>(undefined)

const DONE: Readonly<Record<Action, string>> = { accept: 'accepted', reject: 'rejected', delete: 'deleted' }

const EFFECTS: Readonly<Record<Action, string>> = {
  accept: 'They will get the pillar and the jobs that this master has for them.',
  reject: 'They cannot reach this master until their keys are deleted or accepted.',
  delete: 'Those that still run ask to be accepted again.',
}

/** Change keys in groups. A key is skipped if it is no longer the displayed one. */
async function change(action: Action, keys: readonly KeyItem[]): Promise<void> {
  changes.value = { action, results: [], total: keys.length }
  for (let at = 0; at < keys.length; at += CHUNK) {
    const chunk = keys.slice(at, at + CHUNK).map(({ id, state, sha256 }) => ({
      id,
      state,
      ...(sha256 && { fingerprint: sha256 }),
    }))
    const { items } = await post('/v1/keys', { body: { action, keys: chunk } })
    changes.value = { ...changes.value, results: [...changes.value.results, ...items] }
  }
}

function Reach({ action, keys }: { action: Action; keys: readonly KeyItem[] }) {
  const names = keys.slice(0, MOST_NAMES).map(({ id }) => id)
  const more = keys.length - names.length
  const denied = action === 'accept' ? keys.filter(({ state }) => state === 'denied').length : 0
  const verb = `${action[0]!.toUpperCase()}${action.slice(1)}s`
  return (
    <>
      {verb} {counted(keys.length, 'key')}: <strong>{names.join(', ')}</strong>
      {more > 0 && ` and ${count(more)} more`}. {EFFECTS[action]}
      {denied > 0 && ` A denied key replaces the key that the minion has now (${counted(denied, 'key')}).`}
    </>
  )
}

/** Ask, and change keys. */
export function askChange(action: Action, keys: readonly KeyItem[], { isAll = false, done = () => {} } = {}): void {
  ask({
    title: `${action[0]!.toUpperCase()}${action.slice(1)} ${counted(keys.length, 'key')}`,
    reach: <Reach action={action} keys={keys} />,
    ...((action === 'delete' || isAll) && { word: action }),
    action: `${action[0]!.toUpperCase()}${action.slice(1)}`,
    isDanger: action !== 'accept',
    run: async () => {
      await change(action, keys)
      done()
    },
  })
}

/** The result of the last action for each key; failures come first. */
export function Results() {
  const last = changes.value
  if (!last) return null
  const { action, results, total } = last
  const left = results.filter(({ done }) => !done)
  const shown = [...left, ...results.filter(({ done }) => done)].slice(0, MOST_SHOWN)
  return (
    <Card
      title={`${count(results.length - left.length)} of ${counted(total, 'key')} ${DONE[action]}`}
      actions={
        <Button
          icon="close"
          kind="plain"
          title="Close the results"
          onClick={() => {
            changes.value = undefined
          }}
        />
      }
    >
      <ul class="key-results" aria-label="Results">
        {shown.map(({ id, state, done, reason }) => (
          <li key={`${state}/${id}`} class="row">
            <Badge tone={done ? 'ok' : 'failed'}>{done ? DONE[action] : 'not done'}</Badge>
            <span class="wrap">
              {id}
              {reason !== null && <span class="muted"> {reason}</span>}
            </span>
          </li>
        ))}
        {results.length > shown.length && <li class="muted">and {count(results.length - shown.length)} more</li>}
      </ul>
    </Card>
  )
}
