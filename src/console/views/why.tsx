// Why something happened: the chain from the first cause to the consequences, with files and lines.
import { useEffect, useState } from 'preact/hooks'
import { read } from '../api/client.ts'
import { shellWord } from '../format.ts'
import { useResource } from '../live/resource.ts'
import { href, navigate, pageLink, param } from '../route.ts'
import { Button, Card, CopyMenu, Empty, ProblemNotice, View } from '../ui/basic.tsx'
import { Node, type TraceNode } from './why/node.tsx'
import './why/why.css'

const QUESTIONS: ReadonlyArray<readonly [what: string, meaning: string]> = [
  ['20261116200148950951', 'a job or an orchestration, by its job id'],
  ['4711', 'an event, by its number'],
  ['salt/beacon/web1/*', 'the last event whose tag is this or matches this'],
]

function Question() {
  const asked = param('what')
  const [text, type] = useState(asked)
  useEffect(() => type(asked), [asked])
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') navigate(href('why', { what: text.trim() }))
      }}
    >
      <input
        class="input wide"
        type="search"
        data-search
        aria-label="Job id, event number or tag"
        placeholder="Job id, event number or tag"
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <Button type="submit" kind="primary" disabled={text.trim() === ''}>
        Show why
      </Button>
    </form>
  )
}

const Help = () => (
  <Empty title="What do you want to know the cause of?">
    <table class="plain-table why-help">
      <tbody>
        {QUESTIONS.map(([what, meaning]) => (
          <tr key={what}>
            <td class="mono">{what}</td>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <p>
      Jobs, <a href={href('events')}>events</a> and <a href={href('runs')}>orchestrations</a> have a link "Why" that
      leads here.
    </p>
  </Empty>
)

/** Whether something in a chain has not ended. */
const isOpen = ({ state, children }: TraceNode): boolean => state === 'running' || children.some(isOpen)

function Chain({ what }: { what: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/traces', { query: { what }, signal }),
    [what],
    {
      apply: ({ root }, { tag }) => (isOpen(root) && /^salt\/(job|run)\//.test(tag) ? 'reload' : undefined),
      reloadMs: 2000,
    },
  )
  return (
    <div class="stack" aria-busy={isLoading && !data}>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {problem?.status === 404 && <Help />}
      {data && (
        <Card
          title="From the first cause to the consequences"
          actions={
            <CopyMenu
              items={[
                ['Command', () => `salt-run trace.show ${shellWord(what)}`],
                ['JSON', () => JSON.stringify(data.root, null, 2)],
                ['Link', pageLink],
              ]}
            />
          }
        >
          <ul class="trace">
            <Node key={what} node={data.root} />
          </ul>
        </Card>
      )}
    </div>
  )
}

export default function Why() {
  const what = param('what').trim()
  return (
    <View title="Why">
      <Question />
      {what === '' ? <Help /> : <Chain key={what} what={what} />}
    </View>
  )
}
