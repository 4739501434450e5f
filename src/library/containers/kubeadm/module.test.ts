import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Dict, fromPlain, hideMarked, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import module from './module.ts'

/** The functions of Salt. */
const NAMES = `
  version token_create token_delete token_generate alpha_certs_renew alpha_kubeconfig_user
  alpha_kubelet_config_download alpha_kubelet_config_enable_dynamic alpha_selfhosting_pivot
  config_images_list config_images_pull config_migrate config_print_init_defaults config_print_join_defaults
  config_upload_from_file config_upload_from_flags config_view init join reset token_list join_params
`

test('has the functions of Salt', () => {
  expect(Object.keys(module.functions).sort()).toEqual(NAMES.trim().split(/\s+/).sort())
})

async function call(
  name: string,
  kwargs: Record<string, Plain>,
  stdout = '',
  host = new MemoryHost(),
): Promise<{ answer: Plain; ran: string[][] }> {
  const ran: string[][] = []
  const others = {
    'cmd.run_all': async ([argv]: readonly Value[]): Promise<Value> => {
      ran.push((argv as Value[]).map(String))
      return fromPlain({ retcode: stdout === 'fail' ? 1 : 0, stdout, stderr: 'it failed' })
    },
  }
  const answer = await tryFunction(module, name, {
    kwargs: fromPlain(kwargs) as Dict as ReadonlyMap<string, Value>,
    others,
    host,
  })
  return { answer: toPlain(answer), ran }
}

test('calls the program with the flags that are given', async () => {
  const joined = await call('join', {
    api_server_endpoint: '10.0.0.1:6443',
    token: 'abcdef.0123456789abcdef',
    control_plane: true,
    node_name: 'web1',
  })
  expect(joined.ran).toEqual([
    [
      'kubeadm',
      'join',
      '10.0.0.1:6443',
      '--control-plane',
      '--node-name',
      'web1',
      '--token',
      'abcdef.0123456789abcdef',
    ],
  ])
  expect(hideMarked('the token abcdef.0123456789abcdef')).toBe('the token **********')
  expect((await call('reset', { cert_dir: '/pki' })).ran).toEqual([
    ['kubeadm', 'reset', '--force', '--cert-dir', '/pki'],
  ])
  expect((await call('token_create', { ttl: '6h', usages: ['signing'] }, 'new')).ran).toEqual([
    ['kubeadm', 'token', 'create', '--ttl', '6h', '--usages', '["signing"]'],
  ])
  await expect(call('token_delete', { token: '--all' })).rejects.toThrow('cannot begin with a dash')
  await expect(call('init', {}, 'fail')).rejects.toThrow('it failed')
})

test('reads what the program prints', async () => {
  expect((await call('version', {}, '{"clientVersion": {"major": "1"}}')).answer).toEqual({
    clientVersion: { major: '1' },
  })
  expect((await call('config_images_list', {}, 'one\ntwo')).answer).toEqual(['one', 'two'])
  const table = `TOKEN                     TTL   EXPIRES                USAGES                   DESCRIPTION   EXTRA GROUPS
fedcba.0123456789abcdef   23h   2026-11-19T10:00:00Z   authentication,signing   <none>        system:bootstrappers`
  expect((await call('token_list', {}, table)).answer).toEqual([
    {
      token: 'fedcba.0123456789abcdef',
      ttl: '23h',
      expires: '2026-11-19T10:00:00Z',
      usages: 'authentication,signing',
      description: '<none>',
      'extra groups': 'system:bootstrappers',
    },
  ])
  const host = new MemoryHost()
  await host.makeDirectory('/etc/kubernetes/pki', { parents: true })
  await host.write('/etc/kubernetes/admin.conf', 'clusters:\n- cluster:\n    server: https://10.0.0.1:6443\n')
  await host.write('/etc/kubernetes/pki/ca.crt', CERTIFICATE)
  const { answer } = await call('join_params', {}, table, host)
  expect(answer).toEqual({
    'api-server-endpoint': '10.0.0.1:6443',
    token: 'fedcba.0123456789abcdef',
    'discovery-token-ca-cert-hash': HASH,
  })
  expect(new X509Certificate(CERTIFICATE).subject).toBe('CN=test')
})

/** The certificate of an authority, and the hash of its key as openssl has it. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBcTCCARmgAwIBAgIURGAn2EfQkyvqHq5FPSL/BCsk1DQwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAeFw0yNjExMTgxMzAyMDNaFw0zNjExMTUxMzAyMDNa
MA8xDTALBgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASQtxjt
oyc/xDghTqxQmc0yH6dxkFHaLAICWxOuFpSHffTeTs9h0M7WYLRVokE7cY8erncX
JnbruUup0RAu1X+7o1MwUTAdBgNVHQ4EFgQUKGR28/QGnH+WsItUJfL11L6wwP8w
HwYDVR0jBBgwFoAUKGR28/QGnH+WsItUJfL11L6wwP8wDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNGADBDAiAZyG2Fi3D7pn3EQLviaelZMQKJ7QpkWD46/Cgh
vl5QOQIfANwIMByqfgMcUUnhYM/XR2Lhha5Y9mXHZYRbULpFJQ==
-----END CERTIFICATE-----
`
const HASH = 'sha256:736e32ac41f9a34f1213ad0e4848630da83607112577a92197811f5ee27c05fe'
