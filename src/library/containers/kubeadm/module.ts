// Clusters that kubeadm sets up, through its program: Salt's `kubeadm` module.
import { createHash, X509Certificate } from 'node:crypto'
import {
  type Dict,
  failure,
  isList,
  loadJson,
  markSecret,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  type Args,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  reads,
  ret,
  runAll,
  textAt,
} from '../../../sdk/mod.ts'

const ADMIN = '/etc/kubernetes/admin.conf'
const CA = '/etc/kubernetes/pki/ca.crt'

type Answer = 'text' | 'lines' | 'json' | 'done'

interface Row {
  doc: string
  words: string
  /** Arguments that are words or flags and have to be given: `word` or `--flag`. */
  needed?: Readonly<Record<string, string>>
  /** Arguments that are flags of the same name; a name with `?` is a flag without a value, with `[]` a list. */
  flags: string
  answer?: Answer
  isReading?: boolean
}

const CLUSTER = 'kubeconfig rootfs'
const ADDRESS = 'apiserver_advertise_address apiserver_bind_port'
const NETWORK = 'node_name pod_network_cidr service_cidr service_dns_domain'

const ROWS: Readonly<Record<string, Row>> = {
  version: {
    doc: 'Return the version of kubeadm.',
    words: 'version --output json',
    flags: CLUSTER,
    answer: 'json',
    isReading: true,
  },
  token_create: {
    doc: 'Create a bootstrap token and return it.',
    words: 'token create',
    needed: { token: 'word?' },
    flags: `config description groups[] ttl usages[] ${CLUSTER}`,
  },
  token_delete: {
    doc: 'Delete a bootstrap token.',
    words: 'token delete',
    needed: { token: 'word' },
    flags: CLUSTER,
    answer: 'done',
  },
  token_generate: {
    doc: 'Return a new bootstrap token, which the cluster does not know.',
    words: 'token generate',
    flags: CLUSTER,
    isReading: true,
  },
  alpha_certs_renew: { doc: 'Renew the certificates of the cluster.', words: 'alpha certs renew', flags: 'rootfs' },
  alpha_kubeconfig_user: {
    doc: 'Return a kubeconfig for a further user.',
    words: 'alpha kubeconfig user',
    needed: { client_name: '--client-name' },
    flags: `${ADDRESS} cert_dir org token rootfs`,
  },
  alpha_kubelet_config_download: {
    doc: 'Fetch the configuration of the kubelet from the cluster.',
    words: 'alpha kubelet config download',
    flags: 'kubeconfig kubelet_version rootfs',
  },
  alpha_kubelet_config_enable_dynamic: {
    doc: 'Let a node take its configuration from the cluster.',
    words: 'alpha kubelet config enable-dynamic',
    needed: { node_name: '--node-name' },
    flags: 'kubeconfig kubelet_version rootfs',
  },
  alpha_selfhosting_pivot: {
    doc: 'Make the control plane host itself.',
    words: 'alpha selfhosting pivot --force',
    flags: 'cert_dir config kubeconfig store_certs_in_secrets? rootfs',
  },
  config_images_list: {
    doc: 'Return the images that kubeadm uses.',
    words: 'config images list',
    flags: `config feature_gates kubernetes_version ${CLUSTER}`,
    answer: 'lines',
    isReading: true,
  },
  config_images_pull: {
    doc: 'Fetch the images that kubeadm uses.',
    words: 'config images pull',
    flags: `config cri_socket feature_gates kubernetes_version ${CLUSTER}`,
    answer: 'lines',
  },
  config_migrate: {
    doc: 'Convert a configuration file to the present version.',
    words: 'config migrate',
    needed: { old_config: '--old-config' },
    flags: `new_config ${CLUSTER}`,
  },
  config_print_init_defaults: {
    doc: 'Return the default configuration of `init`.',
    words: 'config print init-defaults',
    flags: `component_configs ${CLUSTER}`,
    isReading: true,
  },
  config_print_join_defaults: {
    doc: 'Return the default configuration of `join`.',
    words: 'config print join-defaults',
    flags: `component_configs ${CLUSTER}`,
    isReading: true,
  },
  config_upload_from_file: {
    doc: 'Put a configuration file into the cluster.',
    words: 'config upload from-file',
    needed: { config: '--config' },
    flags: CLUSTER,
  },
  config_upload_from_flags: {
    doc: 'Put a configuration into the cluster.',
    words: 'config upload from-flags',
    flags: `${ADDRESS} apiserver_cert_extra_sans cert_dir cri_socket feature_gates kubernetes_version ${NETWORK} ${CLUSTER}`,
  },
  config_view: {
    doc: 'Return the configuration of the cluster.',
    words: 'config view',
    flags: CLUSTER,
    isReading: true,
  },
  init: {
    doc: 'Set up a control plane on this machine.',
    words: 'init',
    flags: `${ADDRESS} apiserver_cert_extra_sans cert_dir certificate_key control_plane_endpoint config cri_socket experimental_upload_certs? upload_certs? feature_gates ignore_preflight_errors image_repository kubernetes_version ${NETWORK} skip_certificate_key_print? skip_phases skip_token_print? token token_ttl rootfs`,
  },
  join: {
    doc: 'Let this machine join a cluster.',
    words: 'join',
    needed: { api_server_endpoint: 'word?' },
    flags: `${ADDRESS} certificate_key config cri_socket discovery_file discovery_token discovery_token_ca_cert_hash discovery_token_unsafe_skip_ca_verification? experimental_control_plane? control_plane? ignore_preflight_errors node_name skip_phases tls_bootstrap_token token rootfs`,
  },
  reset: {
    doc: 'Undo what `init` or `join` did on this machine.',
    words: 'reset --force',
    flags: `cert_dir cri_socket ignore_preflight_errors ${CLUSTER}`,
  },
}

/** Arguments that are secrets. */
const SECRETS = new Set(['token', 'discovery_token', 'tls_bootstrap_token', 'certificate_key'])

const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`

function argumentOf(name: string): Args[string] {
  const secret = SECRETS.has(name) ? { secret: true } : {}
  return arg.text(`Flag \`${flagOf(name)}\` of kubeadm`, { optional: true, ...secret })
}

function declared(name: string, row: Row): FunctionDeclaration {
  const flags = row.flags
    .split(' ')
    .map((flag) => ({ name: flag.replace(/\?|\[\]$/, ''), isSwitch: flag.endsWith('?'), isList: flag.endsWith('[]') }))
  const needed = Object.entries(row.needed ?? {})
  const args: Args = {
    ...Object.fromEntries(
      needed.map(([each, how]) => [
        each,
        how === 'word?' ? argumentOf(each) : arg.text(`The ${each.replaceAll('_', ' ')}`),
      ]),
    ),
    ...Object.fromEntries(
      flags.map(({ name, isSwitch, isList }) => [
        name,
        isSwitch
          ? arg.flag(`Flag \`${flagOf(name)}\` of kubeadm`, { default: false })
          : isList
            ? arg.any(`List for the flag \`${flagOf(name)}\` of kubeadm`, { optional: true })
            : argumentOf(name),
      ]),
    ),
  }
  return (row.isReading ? reads : changes)({
    doc: row.doc,
    example: `kubeadm.${name}`,
    args,
    returns: ret.any('What kubeadm prints'),
    run: (ctx, bound) => {
      const given = bound as unknown as Record<string, Value>
      for (const each of SECRETS) if (truthy(given[each] ?? null)) markSecret(given[each]!)
      const argv = row.words.split(' ')
      for (const [each, how] of needed) {
        const value = given[each] ?? null
        if (!truthy(value)) continue
        if (how.startsWith('--')) argv.push(how)
        else if (str(value).startsWith('-')) throw failure(`The ${each} cannot begin with a dash`)
        argv.push(str(value))
      }
      for (const { name, isSwitch } of flags) {
        const value = given[name] ?? null
        if (!truthy(value)) continue
        argv.push(flagOf(name))
        if (!isSwitch) argv.push(isList(value) ? JSON.stringify(value.map(str)) : str(value))
      }
      return kubeadm(ctx, argv, row.answer ?? 'text')
    },
  })
}

async function kubeadm(ctx: FunctionContext, words: readonly string[], answer: Answer): Promise<Value> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['kubeadm', ...words])
  if (retcode !== 0) throw failure(stderr || `kubeadm ended with ${retcode}`)
  if (answer === 'json') return loadJson(stdout)
  if (answer === 'lines') return splitLines(stdout)
  return answer === 'done' ? stdout !== '' : stdout
}

/** Return the tokens in kubeadm's table: columns are separated by two blanks. */
function tokensIn(table: string): Dict[] {
  const [head = '', ...rows] = splitLines(table)
  const columns = head
    .trim()
    .split(/\s{2,}/)
    .map((name) => name.toLowerCase())
  return rows.flatMap((row) => {
    const values = row.trim().split(/\s{2,}/)
    return values.length === columns.length
      ? [new Map<Value, Value>(columns.map((name, index) => [name, values[index]!]))]
      : []
  })
}

async function tokens(
  ctx: FunctionContext,
  given: { kubeconfig: string | null; rootfs: string | null },
): Promise<Dict[]> {
  const flags = Object.entries(given).flatMap(([name, value]) => (value ? [flagOf(name), value] : []))
  const found = tokensIn(str(await kubeadm(ctx, ['token', 'list', ...flags], 'text')))
  for (const token of found) markSecret(token.get('token') ?? null)
  return found
}

async function joinParams(ctx: FunctionContext, createIfNeeded: boolean): Promise<Dict> {
  const none = { kubeconfig: null, rootfs: null }
  let known = await tokens(ctx, none)
  if (known.length === 0 && createIfNeeded) {
    await kubeadm(ctx, ['token', 'create', '--description', 'Token created by kubeadm salt module'], 'text')
    known = await tokens(ctx, none)
  }
  const server = /^\s*server: https?:\/\/(.*)$/m.exec((await textAt(ctx.host, ADMIN)) ?? '')?.[1] ?? null
  const ca = await textAt(ctx.host, CA)
  if (ca === undefined) throw failure(`The file ${CA} cannot be read`)
  const key = new X509Certificate(ca).publicKey.export({ type: 'spki', format: 'der' })
  return new Map<Value, Value>([
    ['api-server-endpoint', server],
    ['token', known[0]?.get('token') ?? null],
    ['discovery-token-ca-cert-hash', `sha256:${createHash('sha256').update(key).digest('hex')}`],
  ])
}

export default defineModule({
  name: 'kubeadm',
  doc: 'Set up Kubernetes clusters with kubeadm.',
  when: async ({ host }) => (await host.which('kubeadm')) !== undefined || 'kubeadm is not in the path',
  functions: {
    ...Object.fromEntries(Object.entries(ROWS).map(([name, row]) => [name, declared(name, row)])),
    token_list: reads({
      doc: 'Return the bootstrap tokens of the cluster.',
      args: {
        kubeconfig: arg.text('kubeconfig of the cluster', { optional: true }),
        rootfs: arg.text('Root of the file system', { optional: true }),
      },
      returns: ret.dicts('The tokens, with the columns of kubeadm'),
      run: (ctx, given) => tokens(ctx, given),
    }),
    join_params: changes({
      doc: 'Return what a machine needs to join the cluster of this one.',
      example: 'kubeadm.join_params create_if_needed=True',
      args: { create_if_needed: arg.flag('Whether a token is created when there is none', { default: false }) },
      returns: ret.dict('`api-server-endpoint`, `token` and `discovery-token-ca-cert-hash`'),
      run: (ctx, { create_if_needed }) => joinParams(ctx, create_if_needed),
    }),
  },
})
