// Actions on minions: run a function, apply the highstate, refresh their data, delete their keys.
import { signal } from '@preact/signals'
import { post } from '../../api/client.ts'
import { counted } from '../../format.ts'
import { href, navigate } from '../../route.ts'
import { Button } from '../../ui/basic.tsx'
import { ask, Dialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/toasts.tsx'
import type { Minion } from './facts.ts'

/** Return ids as a short text: the first ones and the number of others. */
function someOf(ids: readonly string[], most = 5): string {
  const more = ids.length - most
  return ids.slice(0, most).join(', ') + (more > 0 ? ` and ${counted(more, 'more', 'more')}` : '')
}

interface RunLink {
  function?: string
  args?: readonly unknown[]
  kwargs?: Readonly<Record<string, unknown>>
}

/** The address of the Run view with minions and a function filled in. */
export function runHref(ids: readonly string[], { function: fun, args, kwargs }: RunLink = {}): string {
  return href('run', {
    target: ids.join(','),
    targetType: 'list',
    function: fun,
    args: args && JSON.stringify(args),
    kwargs: kwargs && JSON.stringify(kwargs),
  })
}

/** Begin a job on minions and go to its page. */
async function begin(ids: readonly string[], fun: string, kwargs: Record<string, unknown> = {}): Promise<void> {
  const { jid } = await post('/v1/jobs', {
    body: { target: [...ids], targetType: 'list', function: fun, ...(Object.keys(kwargs).length > 0 && { kwargs }) },
  })
  navigate(href(['jobs', jid]))
}

type Target = Pick<Minion, 'id' | 'drift'>

/** The minions in the highstate dialog. */
const asked = signal<readonly Target[] | undefined>(undefined)

/** Ask whether to apply the highstate, with a dry run first. */
export function askHighstate(minions: readonly Target[]): void {
  asked.value = minions
}

/** Return the results of the last dry runs. */
function trialText(minions: readonly Target[]): string {
  const tried = minions.filter(({ drift }) => drift)
  if (tried.length === 0) return 'No dry run is newer than the last highstate. Begin with one: it changes nothing.'
  const drifted = tried.filter(({ drift }) => drift!.changes > 0)
  const untried = minions.length - tried.length
  return [
    `The last dry run would change something on ${counted(drifted.length, 'minion')}.`,
    untried > 0 && `${counted(untried, 'minion has', 'minions have')} no dry run since the last highstate.`,
  ]
    .filter(Boolean)
    .join(' ')
}

export function HighstateDialog() {
  const minions = asked.value
  if (!minions) return null
  const ids = minions.map(({ id }) => id)
  const isTried = minions.every(({ drift }) => drift)
  const close = (): void => {
    asked.value = undefined
  }
  const run = async (kwargs: Record<string, unknown>): Promise<void> => {
    if (await attempt(() => begin(ids, 'state.apply', kwargs))) close()
  }
  return (
    <Dialog label="Apply the highstate" onClose={close}>
      <div class="stack">
        <h2>Apply the highstate</h2>
        <p class="wrap">
          On {counted(ids.length, 'minion')}: {someOf(ids)}
        </p>
        <p>{trialText(minions)}</p>
        <div class="actions wrapping">
          <Button onClick={close}>Cancel</Button>
          <Button kind={isTried ? 'primary' : undefined} onClick={() => void run({})}>
            Apply
          </Button>
          <Button kind={isTried ? undefined : 'primary'} onClick={() => void run({ test: true })}>
            Dry run (test=True)
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Ask whether to delete the keys of minions. */
export function askDelete(ids: readonly string[], done: () => void): void {
  ask({
    title: ids.length === 1 ? 'Delete the key' : 'Delete keys',
    reach: `Deletes the ${ids.length === 1 ? 'key' : 'keys'} of ${counted(ids.length, 'minion')}: ${someOf(ids)}. ${
      ids.length === 1 ? 'It' : 'They'
    } can do no job until a key is accepted again.`,
    word: ids.length === 1 ? ids[0]! : 'delete',
    action: 'Delete',
    isDanger: true,
    done: `Deleted ${counted(ids.length, 'key')}`,
    run: async () => {
      for (const id of ids) await post('/v1/keys/{id}', { params: { id }, body: { action: 'delete' } })
      done()
    },
  })
}
