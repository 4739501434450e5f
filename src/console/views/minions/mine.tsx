// The mine data of a minion.
import { read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { refusalOf } from '../../live/rights.ts'
import { Button, Card, Empty, Menu, ProblemNotice } from '../../ui/basic.tsx'
import { ask } from '../../ui/dialog.tsx'
import { runHref } from './actions.tsx'
import { act, CallItem } from './answered.tsx'
import { Value } from './grains.tsx'

export function MineTab({ id }: { id: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/minions/{id}/mine', { params: { id }, signal }),
    [id],
  )
  const change = async (fun: string, args: string[], done: string): Promise<void> => {
    if (await act(id, { function: `mine.${fun}`, args }, done)) await reload()
  }
  return (
    <div class="stack" aria-busy={isLoading}>
      <div class="toolbar">
        <Button
          icon="retry"
          refusal={refusalOf(id, 'mine.update')}
          onClick={() => void change('update', [], `${id} updated the mine`)}
        >
          Update the mine
        </Button>
        <Button
          kind="danger"
          refusal={refusalOf(id, 'mine.flush')}
          onClick={() =>
            ask({
              title: 'Flush the mine',
              reach: `Deletes all values that ${id} gave to the mine. They come back when it updates the mine.`,
              word: 'flush',
              action: 'Flush',
              isDanger: true,
              run: () => change('flush', [], `${id} flushed the mine`),
            })
          }
        >
          Flush …
        </Button>
      </div>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data?.items.length === 0 && (
        <Empty title="The minion has nothing in the mine">
          <p>Name functions in mine_functions of its configuration or pillar, or send one.</p>
          <a href={runHref([id], { function: 'mine.send', args: [''] })}>Send a function</a>
        </Empty>
      )}
      {data && data.items.length > 0 && (
        <Card flush>
          <table class="plain-table value-table">
            <thead>
              <tr>
                <th>Function</th>
                <th>Value</th>
                <th>
                  <span class="hidden-text">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.items.map(({ function: fun, value }) => (
                <tr key={fun}>
                  <td class="mono">{fun}</td>
                  <td>
                    <Value value={value} />
                  </td>
                  <td class="act">
                    <Menu label={<span class="hidden-text">Actions of {fun}</span>} icon="more">
                      <a href={runHref([id], { function: fun })}>Run …</a>
                      <CallItem
                        id={id}
                        function="mine.delete"
                        onClick={() => void change('delete', [fun], `Deleted ${fun} from the mine of ${id}`)}
                      >
                        Delete
                      </CallItem>
                    </Menu>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </div>
  )
}
