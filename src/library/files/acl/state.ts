// Entries of access control lists of files.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { listAbsent, listPresent } from './state/many.ts'
import { absent, present } from './state/one.ts'

const name = arg.string('Path of the file or directory')
const acl_type = arg.string(
  'Type: `user`, `group` or `mask`, with the prefix `default:` for the default list of a directory',
)
const acl_name = arg.any('Name of the user or group: text; by default the owner', { default: '' })
const acl_names = arg.any('Names of users or groups: a list, or text', { default: null })
const perms = arg.any('Permissions as letters, such as `rwx`; another type than text is refused', { default: '' })
const recurse = arg.flag('Include everything below the path', { default: false })
const force = arg.flag('Remove all entries first', { default: false })

export default defineState({
  name: 'linux_acl',
  virtual: 'acl',
  doc: 'Manage access control lists of files.',
  when: async ({ host }) =>
    ((await host.which('getfacl')) !== undefined && (await host.which('setfacl')) !== undefined) ||
    'The linux_acl state cannot be loaded: the getfacl or setfacl binary is not in the path.',
  functions: {
    present: state({
      doc: 'Ensure that an access control list has an entry.',
      args: { name, acl_type, acl_name, perms, recurse, force },
      run: (ctx, { force, ...request }) => present(ctx, request, force),
    }),
    absent: state({
      doc: 'Ensure that an access control list does not have an entry.',
      args: { name, acl_type, acl_name, perms, recurse },
      run: absent,
    }),
    list_present: state({
      doc: 'Ensure that an access control list has entries for several users or groups.',
      args: { name, acl_type, acl_names, perms, recurse, force },
      run: (ctx, { perms, force, acl_names, ...request }) =>
        listPresent(ctx, { ...request, acl_names: acl_names ?? [] }, perms, force),
    }),
    list_absent: state({
      doc: 'Ensure that an access control list has no entries for several users or groups.',
      args: { name, acl_type, acl_names, recurse },
      run: (ctx, { acl_names, ...request }) => listAbsent(ctx, { ...request, acl_names: acl_names ?? [] }),
    }),
  },
})
