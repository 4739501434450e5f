// Temporary files and directories. The caller removes them.
import { arg, changes, defineModule } from '../../../sdk/mod.ts'

const args = {
  suffix: arg.string('Suffix of the name', { default: '' }),
  prefix: arg.string('Prefix of the name', { default: 'tmp' }),
  parent: arg.string('Parent directory; by default that of the system', { optional: true }),
}

const place = (suffix: string, prefix: string, parent: string | null) => ({
  suffix,
  prefix,
  ...(parent ? { directory: parent } : {}),
})

export default defineModule({
  name: 'temp',
  doc: 'Create temporary files and directories.',
  functions: {
    dir: changes({
      doc: 'Create a temporary directory.',
      example: 'temp.dir prefix=build-',
      args,
      run: ({ host }, { suffix, prefix, parent }) => host.tempDirectory(place(suffix, prefix, parent)),
    }),
    file: changes({
      doc: 'Create a temporary file.',
      example: 'temp.file suffix=.cfg',
      args,
      run: ({ host }, { suffix, prefix, parent }) => host.tempFile(place(suffix, prefix, parent)),
    }),
  },
})
