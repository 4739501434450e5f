// Shortcuts of Windows; elsewhere there are none.
import { arg, state } from '../../../../sdk/mod.ts'
import { begin, fail } from './answer.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })

export const shortcut = state({
  doc: 'Make a shortcut; only on Windows.',
  args: {
    name: arg.string('The path of the shortcut'),
    target: arg.any('What it points to'),
    arguments: optional('Arguments of the target'),
    working_dir: optional('The working directory'),
    description: optional('A description'),
    icon_location: optional('Where the icon is'),
    force: arg.flag('Replace what is there', { default: false }),
    backupname: optional('Where to move what is there'),
    makedirs: arg.flag('Make the directories above it', { default: false }),
    user: optional('The owner'),
    kwargs: arg.ignored(),
  },
  run: (_ctx, { name }) => fail(begin(name), 'Shortcuts are only supported on Windows'),
})
