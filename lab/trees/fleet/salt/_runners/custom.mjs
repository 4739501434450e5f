export async function verify_cluster_health() {
  const healthy = []
  for await (const { id, data } of this.run({
    tgt: 'web*',
    fun: 'cmd.retcode',
    arg: ['/usr/local/bin/health_check.sh'],
  })) {
    if (data?.get('return') === 0) healthy.push(id)
  }
  return { healthy: healthy.sort() }
}
