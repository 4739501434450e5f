// Shortcuts, which only Windows has.
import { arg, state } from '../../../../sdk/mod.ts'
import { begin, fail } from './answer.ts'

const optional = (doc: string) => arg.text(doc, { optional: true })

export const shortcut = state({
  doc: 'Ensure that a shortcut exists, on Windows only.',
  args: {
    name: arg.string('Path of the shortcut'),
    target: arg.text('Target of the shortcut'),
    arguments: optional('Arguments of the target'),
    working_dir: optional('Working directory'),
    description: optional('Description'),
    icon_location: optional('Path of the icon'),
    force: arg.flag('Replace an existing path', { default: false }),
    backupname: optional('Path that an existing shortcut is moved to'),
    makedirs: arg.flag('Create missing parent directories', { default: false }),
    user: optional('Owner'),
    kwargs: arg.ignored(),
  },
  run: (_ctx, { name }) => fail(begin(name), 'Shortcuts are only supported on Windows'),
})
