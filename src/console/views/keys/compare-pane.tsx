// The pane for a pasted list of fingerprints, with the result of the comparison.
import { useMemo } from 'preact/hooks'
import { counted } from '../../format.ts'
import { href, param, route, setParams } from '../../route.ts'
import { Badge, Button, Card, Field, Notice } from '../../ui/basic.tsx'
import { askChange } from './changes.tsx'
import { judge, type KeyItem, type Pasted, readList, unknownIds, type Verdict } from './compare.ts'

export const VERDICTS: Readonly<Record<Verdict, { text: string; tone: 'ok' | 'failed' | 'quiet' }>> = {
  match: { text: 'match', tone: 'ok' },
  mismatch: { text: 'mismatch', tone: 'failed' },
  unlisted: { text: 'not listed', tone: 'quiet' },
}

const MOST_UNKNOWN = 50

const verdictLink = (verdict: Verdict): string => {
  const params = Object.fromEntries(route.value.query)
  return href('keys', { ...params, list: params['list'] === verdict ? null : verdict })
}

export function ComparePane({
  keys,
  text,
  onText,
  refusal,
}: {
  keys: readonly KeyItem[]
  text: string
  onText(text: string): void
  refusal: string | undefined
}) {
  const list: Pasted = useMemo(() => readList(text), [text])
  const judged = useMemo(() => keys.map((key) => [key, judge(key, list)] as const), [keys, list])
  const unknown = useMemo(() => unknownIds(keys, list), [keys, list])
  const having = (verdict: Verdict) => judged.filter(([, each]) => each === verdict)
  const ready = having('match').filter(([{ state }]) => state === 'pending')
  const none = list.entries.size === 0
  return (
    <Card
      title="Compare with a list"
      actions={
        <Button
          icon="close"
          kind="plain"
          title="Close the list"
          onClick={() => setParams({ compare: null, list: null })}
        />
      }
    >
      <div class="key-compare">
        <Field
          label="Lines of an id and a fingerprint"
          hint={
            <>
              On each minion <code>salt-call --local key.finger</code> prints its fingerprint. SHA-256 and the hash of
              the option hash_type are both known.
            </>
          }
        >
          {(ids) => (
            <textarea
              {...ids}
              class="textarea"
              rows={6}
              value={text}
              spellcheck={false}
              placeholder={'web1  0f:6a:…\nweb2  c1:44:…'}
              onInput={(event) => onText(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="stack" aria-live="polite">
          {none && <p class="muted">The keys are compared while you paste. Nothing leaves this page.</p>}
          {!none && (
            <ul class="stack" aria-label="Comparison">
              {(['match', 'mismatch', 'unlisted'] as const).map((verdict) => (
                <li key={verdict} class="row">
                  <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].text}</Badge>
                  <a href={verdictLink(verdict)} aria-current={param('list') === verdict ? 'true' : undefined}>
                    {counted(having(verdict).length, 'key')}
                  </a>
                </li>
              ))}
              <li class="row">
                <Badge tone="changed">unknown</Badge>
                <span class="wrap">
                  {unknown.length === 0
                    ? 'every id of the list has a key here'
                    : unknown.slice(0, MOST_UNKNOWN).join(', ')}
                  {unknown.length > MOST_UNKNOWN && ` and ${unknown.length - MOST_UNKNOWN} more`}
                </span>
              </li>
            </ul>
          )}
          {list.unread.length > 0 && (
            <Notice tone="changed">
              {counted(list.unread.length, 'line')} cannot be read, first line {list.unread[0]![0]}:{' '}
              <code>{list.unread[0]![1]}</code>
            </Notice>
          )}
          <div class="row">
            <Button
              kind="primary"
              icon="check"
              disabled={ready.length === 0}
              refusal={refusal}
              onClick={() =>
                askChange(
                  'accept',
                  ready.map(([key]) => key),
                )
              }
            >
              Accept {counted(ready.length, 'waiting key')} that {ready.length === 1 ? 'matches' : 'match'}
            </Button>
          </div>
        </div>
      </div>
    </Card>
  )
}
