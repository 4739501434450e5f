// One key: its fingerprints in full, and how to see the same on the minion.
import { shellWord } from '../../format.ts'
import { href, pageLink, setParams } from '../../route.ts'
import { Badge, Button, CopyMenu, LinkButton, type Tone } from '../../ui/basic.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type Action, askChange } from './changes.tsx'
import type { KeyItem } from './compare.ts'

export const STATES: Readonly<Record<KeyItem['state'], { title: string; word: string; tone: Tone }>> = {
  pending: { title: 'Waiting', word: 'waiting', tone: 'changed' },
  accepted: { title: 'Accepted', word: 'accepted', tone: 'ok' },
  rejected: { title: 'Rejected', word: 'rejected', tone: 'failed' },
  denied: { title: 'Denied', word: 'denied', tone: 'failed' },
}

const MEANINGS: Readonly<Record<KeyItem['state'], string>> = {
  pending: 'The minion asks to be accepted. Compare the fingerprint with that of the minion first.',
  accepted: 'The minion may sign in with this key.',
  rejected: 'Somebody rejected this key. The minion cannot sign in with it.',
  denied:
    'A minion of this id came with another key than the one that the master has. It was set up anew, or somebody else uses its id.',
}

/** Return the actions for a key in a state. */
const actionsOf = (state: KeyItem['state']): Action[] =>
  (['accept', 'reject', 'delete'] as const).filter((action) => `${action}ed` !== state)

const close = (): void => setParams({ key: null })

export function Details({
  item,
  hashType,
  refusal,
}: {
  item: KeyItem
  hashType: string
  refusal(action: Action): string | undefined
}) {
  const { id, state, fingerprint, sha256 } = item
  return (
    <Dialog label={`Key of ${id}`} onClose={close}>
      <div class="stack">
        <div class="row spread">
          <h2 class="wrap">{id}</h2>
          <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>
        </div>
        <p>{MEANINGS[state]}</p>
        <dl class="facts">
          <dt>SHA-256</dt>
          <dd class="mono wrap">{sha256 ?? 'not known'}</dd>
          {hashType !== 'sha256' && (
            <>
              <dt>{hashType} (hash_type)</dt>
              <dd class="mono wrap">{fingerprint ?? 'not known'}</dd>
            </>
          )}
          <dt>On the minion</dt>
          <dd class="mono">salt-call --local key.finger</dd>
          <dt>On the master</dt>
          <dd class="mono">salt-key -f {shellWord(id)}</dd>
        </dl>
        <div class="row">
          <CopyMenu
            items={[
              ['Fingerprint', () => sha256 ?? ''],
              ['Command line', () => `salt-key -a ${shellWord(id)}`],
              ['JSON', () => JSON.stringify(item, null, 2)],
              ['Link', pageLink],
            ]}
          />
          {state === 'accepted' && (
            <LinkButton icon="minions" href={href(['minions', id])}>
              Open the minion
            </LinkButton>
          )}
        </div>
        <div class="actions">
          <Button onClick={close}>Close</Button>
          {actionsOf(state).map((action) => (
            <Button
              key={action}
              kind={action === 'accept' ? 'primary' : 'danger'}
              refusal={refusal(action)}
              onClick={() => {
                close()
                askChange(action, [item])
              }}
            >
              {`${action[0]!.toUpperCase()}${action.slice(1)}`}
            </Button>
          ))}
        </div>
      </div>
    </Dialog>
  )
}
