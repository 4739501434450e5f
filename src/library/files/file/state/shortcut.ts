// Shortcuts of Windows; elsewhere there are none.
import { arg, state } from '../../../../sdk/mod.ts'
import { begin, fail } from './answer.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })

export const shortcut = state({
  doc: 'Make a shortcut; only on Windows.',
  args: {
    name: arg.string('The path of the shortcut'),
    target: arg.any('What it points to'),
    arguments: optional('Arguments of the target'),
    working_dir: optional('The working directory'),
    description: optional('A description'),
    icon_location: optional('Where the icon is'),
    force: off('Replace what is there'),
    backupname: optional('Where to move what is there'),
    makedirs: off('Make the directories above it'),
    user: optional('The owner'),
    kwargs: arg.ignored(),
  },
  run: (_ctx, { name }) => fail(begin(name), 'Shortcuts are only supported on Windows'),
})
