// Access lists of files, as in getfacl and setfacl. The entry of a file's owner or group has no name there; here it has
// the owner's. Both programs get one command line, so names with spaces are quoted.
import { type Dict, dictFrom, failure, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads, ret } from '../../../sdk/mod.ts'

const LETTERS: ReadonlyArray<readonly [letter: string, name: string, octal: number]> = [
  ['r', 'read', 4],
  ['w', 'write', 2],
  ['x', 'execute', 1],
]

interface Entry {
  kind: string
  isDefault: boolean
  name: string
  rights: Dict
}

/** Parse a line such as `default:user:ann:rwx`. */
function entryOf(line: string, owner: Dict): Entry {
  const words = line.split(':')
  const isDefault = words[0] === 'default'
  const [kind = '', name = ''] = isDefault ? words.slice(1) : words
  const given = words.at(-1)!
  const owning = kind === 'user' ? owner.get('owner') : kind === 'group' ? owner.get('group') : undefined
  const granted = LETTERS.filter(([letter]) => given.includes(letter))
  return {
    kind,
    isDefault,
    name: name === '' && owning !== undefined ? str(owning) : name,
    rights: new Map<Value, Value>([
      ['permissions', new Map(LETTERS.map(([letter, right]) => [right, given.includes(letter)]))],
      ['octal', granted.reduce((sum, [, , octal]) => sum + octal, 0)],
    ]),
  }
}

function place(file: Dict, { kind, isDefault, name, rights }: Entry): void {
  if (isDefault && !file.has('defaults')) file.set('defaults', new Map())
  const into = isDefault ? (file.get('defaults') as Dict) : file
  const item: Dict = new Map([[name, rights]])
  if (kind === 'user' || kind === 'group') into.set(kind, [...((into.get(kind) ?? []) as Value[]), item])
  else into.set(kind, [new Map([['', rights]])])
}

const FLAGS: ReadonlyArray<readonly [sign: string, name: string]> = [
  ['s', 'suid'],
  ['s', 'sgid'],
  ['t', 'sticky'],
]

/** Return the lists of files by path. */
function filesIn(text: string): Dict {
  const files: Dict = new Map()
  let file: Dict = new Map()
  for (const line of splitLines(text)) {
    if (line === '' || line.startsWith('getfacl')) continue
    if (!line.startsWith('#')) {
      place(file, entryOf(line, file.get('comment') as Dict))
      continue
    }
    const [name = '', value = ''] = line.replaceAll('# ', '').split(': ')
    if (name === 'file') {
      file = dictFrom({ comment: new Map(), user: [], group: [] })
      files.set(value, file)
    }
    const comment = file.get('comment') as Dict
    comment.set(name, value)
    if (name !== 'flags') continue
    for (const [index, [sign, flag]] of FLAGS.entries()) if (value[index] === sign) file.set(flag, true)
  }
  return files
}

/** Return `d:u` for `default:user`. Unknown types are dropped, so that setfacl fails. */
function prefixOf(kind: string): string {
  const isDefault = kind.startsWith('d')
  const plain = isDefault ? kind.replaceAll('default:', '').replaceAll('d:', '') : kind
  const letter = ['user', 'group', 'mask'].find((name) => plain === name || plain === name[0])?.[0] ?? ''
  return `${isDefault ? 'd:' : ''}${letter}`
}

const quoted = (paths: readonly Value[]): string => {
  if (paths.length > 0) return paths.map((path) => `"${str(path)}"`).join(' ')
  throw failure('You need to specify at least one file or directory to work with!')
}

type Further = ReadonlyMap<string, Value>
const isRecursive = (kwargs: Further): boolean => truthy(kwargs.get('recursive') ?? false)

async function set(ctx: FunctionContext, words: string, paths: readonly Value[], kwargs: Further): Promise<boolean> {
  const files = quoted(paths)
  const line = `setfacl ${isRecursive(kwargs) ? '-R ' : ''}${words} ${files}`
  await outputOf(ctx, line, { raise_err: words.startsWith('-m') && (kwargs.get('raise_err') ?? false) })
  return true
}

const acl_type = arg.string(
  'Type: `user`, `group` or `mask`, with the prefix `default:` for the default list of a directory',
)
const acl_name = arg.text('Name of the user or group; by default the owner', { default: '' })
const args = arg.rest('Paths of files and directories')
const kwargs = arg.open('`recursive`: include everything below directories')

export default defineModule({
  name: 'linux_acl',
  virtual: 'acl',
  doc: 'Read and change access control lists of files.',
  when: async ({ host }) =>
    (await host.which('getfacl')) !== undefined ||
    'The linux_acl execution module cannot be loaded: the getfacl binary is not in the path.',
  functions: {
    version: reads({
      doc: 'Return the version of the ACL programs.',
      returns: ret.string('The version'),
      run: async (ctx) => (await outputOf(ctx, 'getfacl --version')).split(/\s+/)[1] ?? '',
    }),
    getfacl: reads({
      doc: 'Return the access control lists of files.',
      example: 'acl.getfacl /tmp/kitchen recursive=True',
      args: { args, kwargs },
      run: async (ctx, { args, kwargs }) => {
        const files = quoted(args)
        return filesIn(await outputOf(ctx, `getfacl --absolute-names${isRecursive(kwargs) ? ' -R' : ''} ${files}`))
      },
      returns: ret.dict('Entries by path'),
    }),
    wipefacls: changes({
      doc: 'Remove all entries of access control lists.',
      example: 'acl.wipefacls /tmp/kitchen',
      args: { args, kwargs },
      returns: ret.boolean('True'),
      run: async (ctx, { args, kwargs }) => {
        await outputOf(ctx, `setfacl -b${isRecursive(kwargs) ? ' -R' : ''} ${quoted(args)}`)
        return true
      },
    }),
    modfacl: changes({
      doc: 'Add or change an entry of access control lists.',
      example: 'acl.modfacl user ann rwx /tmp/kitchen',
      returns: ret.boolean('True'),
      args: {
        acl_type,
        acl_name,
        perms: arg.text('Permissions as letters or a digit', { default: '' }),
        args,
        kwargs: arg.open('`recursive`: include everything below directories; `raise_err`: fail when setfacl fails'),
      },
      run: (ctx, { acl_type, acl_name, perms, args, kwargs }) =>
        set(ctx, `-m ${prefixOf(acl_type)}:${acl_name}:${perms}`, args, kwargs),
    }),
    delfacl: changes({
      doc: 'Remove an entry of access control lists.',
      example: 'acl.delfacl user ann /tmp/kitchen',
      returns: ret.boolean('True'),
      args: { acl_type, acl_name, args, kwargs },
      run: (ctx, { acl_type, acl_name, args, kwargs }) =>
        set(ctx, `-x ${prefixOf(acl_type)}:${acl_name}`, args, kwargs),
    }),
  },
})
