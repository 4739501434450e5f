// The actions of a named entry that a minion holds: a job of its schedule, or a beacon.
import type { ComponentChildren } from 'preact'
import { Menu } from '../../ui/basic.tsx'
import { ask } from '../../ui/dialog.tsx'
import { act, CallItem } from './answered.tsx'

interface Props {
  /** The minion. */
  id: string
  name: string
  isEnabled: boolean
  /** The functions that disable, enable and delete the entry. */
  functions: { disable: string; enable: string; delete: string }
  /** The entry and its place, such as `the beacon load from web1`. */
  entry: string
  /** The address of the form that modifies the entry. */
  modify: string
  reload(): Promise<void>
  /** Further actions, before the others. */
  children?: ComponentChildren
}

export function EntryMenu({ id, name, isEnabled, functions, entry, modify, reload, children }: Props) {
  const change = async (fun: string, done: string): Promise<void> => {
    if (await act(id, { function: fun, args: [name] }, done)) await reload()
  }
  const [turn, verb, done] = isEnabled
    ? [functions.disable, 'Disable', 'Disabled']
    : [functions.enable, 'Enable', 'Enabled']
  return (
    <Menu label={<span class="hidden-text">Actions of {name}</span>} icon="more">
      {children}
      <CallItem id={id} function={turn} onClick={() => void change(turn, `${done} ${name} on ${id}`)}>
        {verb}
      </CallItem>
      <a href={modify}>Modify …</a>
      <CallItem
        id={id}
        function={functions.delete}
        onClick={() =>
          ask({
            title: `Delete ${name}`,
            reach: `Deletes ${entry}.`,
            word: name,
            action: 'Delete',
            isDanger: true,
            run: () => change(functions.delete, `Deleted ${entry}`),
          })
        }
      >
        Delete …
      </CallItem>
    </Menu>
  )
}
