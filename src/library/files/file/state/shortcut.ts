// Shortcuts, which only Windows has.
import { arg, optionalText, state } from '../../../../sdk/mod.ts'
import { begin, fail } from './answer.ts'

export const shortcut = state({
  doc: 'Ensure that a shortcut exists, on Windows only.',
  args: {
    name: arg.string('Path of the shortcut'),
    target: arg.text('Target of the shortcut'),
    arguments: optionalText('Arguments of the target'),
    working_dir: optionalText('Working directory'),
    description: optionalText('Description'),
    icon_location: optionalText('Path of the icon'),
    force: arg.flag('Replace an existing path', { default: false }),
    backupname: optionalText('Path that an existing shortcut is moved to'),
    makedirs: arg.flag('Create missing parent directories', { default: false }),
    user: optionalText('Owner'),
    kwargs: arg.ignored(),
  },
  run: (_ctx, { name }) => fail(begin(name), 'Shortcuts are only supported on Windows'),
})
