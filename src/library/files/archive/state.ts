// Archives that are unpacked somewhere.
import type { Value } from '../../../data/mod.ts'
import { type Arg, arg, defineState, state } from '../../../sdk/mod.ts'
import { extracted } from './state/extracted.ts'

const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const flag = (doc: string, otherwise = false) => arg.boolean(doc, { default: otherwise })

export default defineState({
  name: 'archive',
  doc: 'Unpack archives.',
  functions: {
    extracted: state({
      doc: 'An archive is unpacked in a folder.',
      args: {
        name: arg.string('The folder'),
        source: arg.any('The archive: a path, a URL, or a list of them'),
        source_hash: optional('Its hash, or where the hash is'),
        source_hash_name: optional('The file whose hash is looked for'),
        source_hash_update: flag('Unpack again when the hash has changed'),
        skip_files_list_verify: flag('Look at the hash alone'),
        skip_verify: flag('Do not check the hash'),
        password: arg.any('Of a zip archive', { optional: true, secret: true }),
        options: optional('Options of tar or unzip'),
        list_options: optional('The program that decompresses the archive for listing'),
        force: flag('Remove what is in the way'),
        overwrite: flag('Unpack in any case'),
        clean: flag('Remove what the archive holds before it is unpacked'),
        clean_parent: flag('Remove the folder before the archive is unpacked'),
        user: optional('Who owns it'),
        group: optional('Which group owns it'),
        if_missing: optional('Unpack only when this path is missing'),
        trim_output: arg.any('How many files are listed', { default: false }),
        use_cmd_unzip: optional('Whether the unzip program is used'),
        extract_perms: flag('Keep permissions of zip archives', true),
        enforce_toplevel: flag('Refuse archives without a single folder at the top', true),
        enforce_ownership_on: optional('The path whose owner is set'),
        archive_format: optional('tar, zip or rar'),
        use_etag: arg.flag('Whether the server is asked if it has changed', { default: false }),
        signature: optional('A detached signature'),
        source_hash_sig: optional('The signature of the file of hashes'),
        signed_by_any: optional('Whose signature suffices'),
        signed_by_all: optional('Whose signatures are all needed'),
        keyring: optional('The keyring'),
        gnupghome: optional('The home of GnuPG'),
        sig_backend: arg.string('Which module checks signatures', { default: 'gpg' }),
        kwargs: arg.open('Passed to what unpacks; `keep_source` keeps the cached archive'),
      },
      run: extracted,
    }),
  },
})
