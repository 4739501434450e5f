// Entries of the access lists of files.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { listAbsent, listPresent } from './state/many.ts'
import { absent, present } from './state/one.ts'

const name = arg.any('The file or directory')
const acl_type = arg.string('`user`, `group` or `mask`, after `default:` for what new files get')
const acl_name = arg.any('The user or group; the owner unless given', { default: '' })
const acl_names = arg.any('The users or groups', { default: null })
const perms = arg.any('The rights, such as `rwx`', { default: '' })
const recurse = arg.flag('Whether all below counts too', { default: false })
const force = arg.any('Whether the list is emptied before', { default: false })

export default defineState({
  name: 'linux_acl',
  virtual: 'acl',
  doc: 'Keep access lists of files.',
  when: async ({ host }) =>
    ((await host.which('getfacl')) !== undefined && (await host.which('setfacl')) !== undefined) ||
    'The linux_acl state cannot be loaded: the getfacl or setfacl binary is not in the path.',
  functions: {
    present: state({
      doc: 'A list has an entry.',
      args: { name, acl_type, acl_name, perms, recurse, force },
      run: (ctx, { force, ...wish }) => present(ctx, wish, force),
    }),
    absent: state({
      doc: 'A list does not have an entry.',
      args: { name, acl_type, acl_name, perms, recurse },
      run: (ctx, wish) => absent(ctx, wish),
    }),
    list_present: state({
      doc: 'A list has an entry for each of several users or groups.',
      args: { name, acl_type, acl_names, perms, recurse, force },
      run: (ctx, { perms, force, acl_names, ...wish }) =>
        listPresent(ctx, { ...wish, acl_names: acl_names ?? [] }, perms, force),
    }),
    list_absent: state({
      doc: 'A list has none of several entries.',
      args: { name, acl_type, acl_names, recurse },
      run: (ctx, { acl_names, ...wish }) => listAbsent(ctx, { ...wish, acl_names: acl_names ?? [] }),
    }),
  },
})
