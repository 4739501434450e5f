// The grains of a minion in the master's cache, with actions to change them.
import { counted } from '../../format.ts'
import { href, param, setParams } from '../../route.ts'
import { Card, CopyMenu, Empty, LinkButton, Menu, Search } from '../../ui/basic.tsx'
import { Shown } from '../../ui/values.tsx'
import { runHref } from './actions.tsx'
import type { Details } from './parts.tsx'

const isPlain = (value: unknown): value is string | number | boolean => /^(string|number|boolean)$/.test(typeof value)

/** Return a value as Salt compares it with a target: booleans as Python prints them. */
const grainText = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)

function GrainMenu({ id, name, value }: { id: string; name: string; value: unknown }) {
  const force = typeof value === 'object' ? { kwargs: { force: true } } : {}
  return (
    <Menu label={<span class="hidden-text">Actions of {name}</span>} icon="more">
      {isPlain(value) && (
        <a href={href('minions', { grain: `${name}:${grainText(value)}` })}>Minions with this value</a>
      )}
      <a href={href('minions', { columns: `os,version,highstate,grains.${name}` })}>Show as a column</a>
      <a href={runHref([id], { function: 'grains.setval', args: [name, value] })}>Edit …</a>
      {Array.isArray(value) && (
        <a href={runHref([id], { function: 'grains.append', args: [name, ''] })}>Add an item …</a>
      )}
      <a href={runHref([id], { function: 'grains.delval', args: [name], ...force })}>Delete the value …</a>
      <a href={runHref([id], { function: 'grains.delkey', args: [name], ...force })}>Delete the grain …</a>
    </Menu>
  )
}

export function GrainsTab({ data: { id, grains } }: { data: Details }) {
  const text = param('find').toLowerCase()
  const names = Object.keys(grains).sort()
  const found = names.filter(
    (name) => name.toLowerCase().includes(text) || (JSON.stringify(grains[name]) ?? '').toLowerCase().includes(text),
  )
  return (
    <>
      <div class="toolbar">
        <Search value={param('find')} label="Filter grains by name or value" onInput={(find) => setParams({ find })} />
        <span class="muted">{counted(found.length, 'grain')}</span>
        <LinkButton href={runHref([id], { function: 'grains.setval', args: ['', ''] })} icon="plus">
          Add a grain
        </LinkButton>
        <CopyMenu items={[['JSON', () => JSON.stringify(grains, null, 2)]]} />
      </div>
      {found.length === 0 ? (
        <Empty title={names.length === 0 ? 'The master knows no grains of this minion' : 'No grain has this text'} />
      ) : (
        <Card flush>
          <table class="plain-table value-table">
            <thead>
              <tr>
                <th>Grain</th>
                <th>Value</th>
                <th>
                  <span class="hidden-text">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((name) => (
                <tr key={name}>
                  <td class="mono">{name}</td>
                  <td>
                    <Value value={grains[name]} />
                  </td>
                  <td class="act">
                    <GrainMenu id={id} name={name} value={grains[name]} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </>
  )
}

/** Longer values are closed at first. */
const LONGEST_LIST = 240
const MOST_OPEN = 8

/** A value on one line where it fits, else as a tree. */
export function Value({ value }: { value: unknown }) {
  if (isPlain(value) || value === null || value === undefined) {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return text.includes('\n') ? <pre class="code">{text}</pre> : <span class="mono">{text}</span>
  }
  const isPlainList = Array.isArray(value) && value.every(isPlain)
  if (isPlainList && JSON.stringify(value).length < LONGEST_LIST) return <span class="mono">{value.join(', ')}</span>
  return <Shown value={value} open={Object.keys(value).length <= MOST_OPEN ? 1 : 0} />
}
