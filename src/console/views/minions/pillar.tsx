// The pillar of a minion: the source of each value, and on request the values.
import { useState } from 'preact/hooks'
import { get, read } from '../../api/client.ts'
import { counted } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Button, Card, Empty, Notice, ProblemNotice, Search } from '../../ui/basic.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/toasts.tsx'
import { Value } from './grains.tsx'

const HIDDEN = '••••••••'
const MOST = 500

/** All sources of one value, in merge order. */
function Explain({ id, path, isShown }: { id: string; path: string; isShown: boolean }) {
  const { data, problem } = useResource(
    (signal) => read('/v1/minions/{id}/pillar', { params: { id }, query: { path }, signal }),
    [id, path],
  )
  const close = (): void => setParams({ path: null })
  return (
    <Dialog label={`Where ${path} comes from`} onClose={close}>
      <div class="stack">
        <h2 class="wrap">Where {path} comes from</h2>
        {problem && <ProblemNotice problem={problem} />}
        <p class="muted">Sources in the order in which they are merged; the last one wins.</p>
        <ol class="lines">
          {data?.items.map(({ at, source, value }, index) => (
            <li key={index}>
              <div class="stack flat">
                <code>{at || source}</code>
                {source && source !== at && <span class="muted small">{source}</span>}
                {isShown && !data.masked && <Value value={value} />}
              </div>
            </li>
          ))}
        </ol>
        <div class="actions">
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Dialog>
  )
}

/** The values of the pillar, after a request. Not part of the address, so that a link does not reveal them. */
function useReveal(id: string) {
  const [values, setValues] = useState<ReadonlyMap<string, unknown> | undefined>(undefined)
  const [shown, setShown] = useState<ReadonlySet<string> | 'all'>(new Set())
  const load = async (): Promise<void> => {
    const { items, masked } = await get('/v1/minions/{id}/pillar', { params: { id }, query: { reveal: 'true' } })
    if (masked) throw new Error('Your access list has no runner function pillar.show_pillar')
    setValues(new Map(items.map(({ path = '', value }) => [path, value])))
  }
  const show = async (path: string | 'all'): Promise<void> => {
    if (values === undefined && !(await attempt(load))) return
    setShown((before) => (path === 'all' || before === 'all' ? 'all' : new Set([...before, path])))
  }
  const hide = (path: string | 'all'): void => {
    setShown((before) => {
      const all = before === 'all' ? [...(values?.keys() ?? [])] : [...before]
      return new Set(path === 'all' ? [] : all.filter((each) => each !== path))
    })
  }
  const isShown = (path: string): boolean => values !== undefined && (shown === 'all' || shown.has(path))
  return { values, isShown, isAll: shown === 'all', show, hide }
}

export function PillarTab({ id }: { id: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/minions/{id}/pillar', { params: { id }, signal }),
    [id],
  )
  const { values, isShown, isAll, show, hide } = useReveal(id)
  const text = param('find').toLowerCase()
  const items = data?.items ?? []
  const found = items.filter(({ path = '', source = '', at }) => `${path} ${source} ${at}`.toLowerCase().includes(text))
  const asked = param('path')
  return (
    <>
      <div class="toolbar" aria-busy={isLoading && !data}>
        <Search value={param('find')} label="Filter by key or file" onInput={(find) => setParams({ find })} />
        <span class="muted">{counted(found.length, 'value')}</span>
        <Button icon="eye" onClick={() => void (isAll ? hide('all') : show('all'))}>
          {isAll ? 'Hide values' : 'Show values'}
        </Button>
        <Button icon="retry" kind="plain" title="Compile the pillar again" onClick={() => void reload()} />
      </div>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data && found.length === 0 && (
        <Empty title={items.length === 0 ? 'The pillar of this minion is empty' : 'No key or file has this text'}>
          {items.length === 0 && <p>The top file of pillar_roots names no SLS file for it.</p>}
        </Empty>
      )}
      {found.length > MOST && <Notice>The first {MOST} values are shown. Filter to see others.</Notice>}
      {found.length > 0 && (
        <Card flush>
          <table class="plain-table value-table">
            <thead>
              <tr>
                <th>Key</th>
                <th>Value</th>
                <th>From</th>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, MOST).map(({ path = '', at, source }) => (
                <tr key={path}>
                  <td>
                    <a class="mono" href={href(['minions', id], { tab: 'pillar', find: param('find'), path })}>
                      {path}
                    </a>
                  </td>
                  <td>
                    {isShown(path) ? (
                      <span class="row">
                        <span class="grow">
                          <Value value={values?.get(path)} />
                        </span>
                        <Button small kind="plain" onClick={() => hide(path)}>
                          Hide
                        </Button>
                      </span>
                    ) : (
                      <Button
                        small
                        kind="plain"
                        aria-label={`Show the value of ${path}`}
                        onClick={() => void show(path)}
                      >
                        {HIDDEN}
                      </Button>
                    )}
                  </td>
                  <td class="small">
                    <code>{at || source}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
      {asked !== '' && <Explain id={id} path={asked} isShown={isShown(asked)} />}
    </>
  )
}
