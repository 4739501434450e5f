// Whose programs a cluster runs: our built ones, or real Salt's from the checkout that SALT_TREE names.
import { join } from 'node:path'
import { SALT_TREE } from '../interop/salt.ts'

export interface Programs {
  /** The command line that starts a program, before its arguments. */
  words(program: string): string[]
  env: Record<string, string>
  /** Whether daemons are many processes, ended as a group. */
  hasGroups: boolean
}

/** Built programs; another build than the usual one is named by the environment. */
const DIST = process.env['LIVE_DIST'] ?? join(import.meta.dirname, '../../dist')

export const ours: Programs = {
  words: (program) => [process.execPath, join(DIST, `${program}.js`)],
  env: {},
  hasGroups: false,
}

const entryOf = (program: string): string => (program === 'salt' ? 'salt_main' : program.replace('-', '_'))

export function realSalt(): Programs {
  if (SALT_TREE === undefined) throw new Error('SALT_TREE does not name a checkout of Salt')
  const path = [SALT_TREE, process.env['SALT_PYTHONPATH'], process.env['PYTHONPATH']].filter(Boolean).join(':')
  const code = (program: string): string =>
    `import sys; sys.argv[0] = "${program}"; from salt.scripts import ${entryOf(program)} as main; main()`
  return {
    words: (program) => [process.env['SALT_PYTHON'] ?? '/usr/bin/python3', '-W', 'ignore', '-c', code(program)],
    env: { PYTHONPATH: path },
    hasGroups: true,
  }
}
