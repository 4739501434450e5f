// Temporary files and directories, which stay until somebody removes them.
import { arg, changes, defineModule } from '../../../sdk/mod.ts'

const args = {
  suffix: arg.string('How the name ends', { default: '' }),
  prefix: arg.string('How the name begins', { default: 'tmp' }),
  parent: arg.string('The directory to make it in, that of the system unless given', { optional: true }),
}

const wish = (suffix: string, prefix: string, parent: string | null) => ({
  suffix,
  prefix,
  ...(parent ? { directory: parent } : {}),
})

export default defineModule({
  name: 'temp',
  doc: 'Temporary files and directories.',
  functions: {
    dir: changes({
      doc: 'Make a temporary directory.',
      example: 'temp.dir prefix=build-',
      args,
      run: ({ host }, { suffix, prefix, parent }) => host.tempDirectory(wish(suffix, prefix, parent)),
    }),
    file: changes({
      doc: 'Make a temporary file.',
      example: 'temp.file suffix=.cfg',
      args,
      run: ({ host }, { suffix, prefix, parent }) => host.tempFile(wish(suffix, prefix, parent)),
    }),
  },
})
