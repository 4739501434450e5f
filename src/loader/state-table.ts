// Made by tools/plugin-table.ts; run it after a state was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const stateTable: StateTable = {
  alias: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/system/aliases/state.ts'),
    },
  ],
  alternatives: [
    {
      functions: ['install', 'remove', 'auto', 'set'],
      load: () => import('../library/system/alternatives/state.ts'),
    },
  ],
  ansible: [
    {
      functions: ['playbooks', 'call'],
      load: () => import('../library/automation/ansible/state.ts'),
    },
  ],
  apache: [
    {
      functions: ['configfile'],
      load: () => import('../library/web/apache/apache.state.ts'),
    },
  ],
  apache_conf: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../library/web/apache/apache_conf.state.ts'),
    },
  ],
  apache_module: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../library/web/apache/apache_module.state.ts'),
    },
  ],
  apache_site: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../library/web/apache/apache_site.state.ts'),
    },
  ],
  apt: [
    {
      functions: ['held'],
      load: () => import('../library/packages/apt/aptpkg.state.ts'),
    },
  ],
  archive: [
    {
      functions: ['extracted'],
      load: () => import('../library/files/archive/state.ts'),
    },
  ],
  at: [
    {
      functions: ['present', 'absent', 'watch', 'mod_watch'],
      load: () => import('../library/services/at/state.ts'),
    },
  ],
  augeas: [
    {
      functions: ['change'],
      load: () => import('../library/files/augeas/state.ts'),
    },
  ],
  beacon: [
    {
      functions: ['present', 'absent', 'enabled', 'disabled'],
      load: () => import('../library/salt/beacons/state.ts'),
    },
  ],
  blockdev: [
    {
      functions: ['tuned', 'formatted'],
      load: () => import('../library/storage/blockdev/state.ts'),
    },
  ],
  chocolatey: [
    {
      functions: ['installed', 'uninstalled', 'upgraded', 'source_present', 'bootstrapped', 'unbootstrapped'],
      load: () => import('../library/packages/chocolatey/state.ts'),
    },
  ],
  cmd: [
    {
      functions: ['wait', 'watch', 'wait_script', 'run', 'script', 'call', 'wait_call', 'mod_watch'],
      load: () => import('../library/system/cmd/state.ts'),
    },
  ],
  cron: [
    {
      functions: ['present', 'absent', 'file', 'env_present', 'env_absent'],
      load: () => import('../library/services/cron/state.ts'),
    },
  ],
  ddns: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/network/ddns/state.ts'),
    },
  ],
  debconf: [
    {
      functions: ['set_file', 'set'],
      load: () => import('../library/packages/debconf/state.ts'),
    },
  ],
  disk: [
    {
      functions: ['status'],
      load: () => import('../library/storage/disk/state.ts'),
    },
  ],
  docker_container: [
    {
      functions: ['running', 'stopped', 'absent', 'run', 'mod_watch'],
      load: () => import('../library/containers/docker/docker_container.state.ts'),
    },
  ],
  docker_image: [
    {
      functions: ['present', 'absent', 'mod_watch'],
      load: () => import('../library/containers/docker/docker_image.state.ts'),
    },
  ],
  docker_network: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/containers/docker/docker_network.state.ts'),
    },
  ],
  docker_volume: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/containers/docker/docker_volume.state.ts'),
    },
  ],
  environ: [
    {
      functions: ['setenv'],
      load: () => import('../library/system/environ/state.ts'),
    },
  ],
  event: [
    {
      functions: ['send', 'wait', 'mod_watch', 'fire_master'],
      load: () => import('../library/salt/event/state.ts'),
    },
  ],
  file: [
    {
      functions: [
        'absent',
        'accumulated',
        'append',
        'blockreplace',
        'cached',
        'comment',
        'copy',
        'decode',
        'directory',
        'exists',
        'hardlink',
        'keyvalue',
        'line',
        'managed',
        'missing',
        'mknod',
        'mod_beacon',
        'not_cached',
        'patch',
        'prepend',
        'pruned',
        'recurse',
        'rename',
        'replace',
        'retention_schedule',
        'serialize',
        'shortcut',
        'symlink',
        'tidied',
        'touch',
        'uncomment',
      ],
      hooks: ['mod_run_check_cmd'],
      load: () => import('../library/files/file/state.ts'),
    },
  ],
  firewall: [
    {
      functions: ['check'],
      load: () => import('../library/network/firewall/state.ts'),
    },
  ],
  firewalld: [
    {
      functions: ['present', 'service'],
      load: () => import('../library/network/firewalld/state.ts'),
    },
  ],
  flatpak: [
    {
      functions: ['installed', 'uninstalled', 'add_remote'],
      load: () => import('../library/packages/flatpak/state.ts'),
    },
  ],
  gem: [
    {
      functions: ['installed', 'removed', 'sources_add', 'sources_remove'],
      load: () => import('../library/packages/gem/state.ts'),
    },
  ],
  git: [
    {
      functions: ['latest', 'present', 'detached', 'cloned', 'config_unset', 'config_set'],
      load: () => import('../library/files/git/state.ts'),
    },
  ],
  gpg: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/security/gpg/state.ts'),
    },
  ],
  grains: [
    {
      functions: ['exists', 'present', 'list_present', 'list_absent', 'absent', 'append'],
      load: () => import('../library/salt/grains/state.ts'),
    },
  ],
  group: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/users/user/group.state.ts'),
    },
  ],
  highstate_doc: [
    {
      functions: ['note'],
      load: () => import('../library/salt/highstate-doc/state.ts'),
    },
  ],
  host: [
    {
      functions: ['present', 'absent', 'only'],
      load: () => import('../library/network/hosts/state.ts'),
    },
  ],
  http: [
    {
      functions: ['query', 'wait_for_successful_query'],
      load: () => import('../library/network/http/state.ts'),
    },
  ],
  influxdb_continuous_query: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/influxdb/influxdb_continuous_query.state.ts'),
    },
  ],
  influxdb_database: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/influxdb/influxdb_database.state.ts'),
    },
  ],
  influxdb_retention_policy: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/influxdb/influxdb_retention_policy.state.ts'),
    },
  ],
  influxdb_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/influxdb/influxdb_user.state.ts'),
    },
  ],
  ini: [
    {
      functions: ['options_present', 'options_absent', 'sections_present', 'sections_absent'],
      load: () => import('../library/files/ini/state.ts'),
    },
  ],
  ipset: [
    {
      functions: ['set_present', 'set_absent', 'present', 'absent', 'flush'],
      load: () => import('../library/network/ipset/state.ts'),
    },
  ],
  iptables: [
    {
      functions: ['chain_present', 'chain_absent', 'append', 'insert', 'delete', 'set_policy', 'flush'],
      hooks: ['mod_aggregate'],
      load: () => import('../library/network/iptables/state.ts'),
    },
  ],
  keyboard: [
    {
      functions: ['system', 'xorg'],
      load: () => import('../library/system/keyboard/state.ts'),
    },
  ],
  kmod: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/system/kmod/state.ts'),
    },
  ],
  acl: [
    {
      functions: ['present', 'absent', 'list_present', 'list_absent'],
      load: () => import('../library/files/acl/state.ts'),
    },
  ],
  locale: [
    {
      functions: ['system', 'present'],
      load: () => import('../library/system/locale/state.ts'),
    },
  ],
  logrotate: [
    {
      functions: ['set'],
      load: () => import('../library/system/logrotate/state.ts'),
    },
  ],
  loop: [
    {
      functions: ['until', 'until_no_eval'],
      load: () => import('../library/salt/loop/state.ts'),
    },
  ],
  lvm: [
    {
      functions: ['pv_present', 'pv_absent', 'vg_present', 'vg_absent', 'lv_present', 'lv_absent'],
      load: () => import('../library/storage/lvm/state.ts'),
    },
  ],
  macpackage: [
    {
      functions: ['installed'],
      load: () => import('../library/packages/macpackage/state.ts'),
    },
  ],
  raid: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/storage/mdadm/state.ts'),
    },
  ],
  module: [
    {
      functions: ['wait', 'watch', 'run', 'mod_watch'],
      load: () => import('../library/salt/module/state.ts'),
    },
  ],
  mongodb_database: [
    {
      functions: ['absent'],
      load: () => import('../library/databases/mongodb/mongodb_database.state.ts'),
    },
  ],
  mongodb_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/mongodb/mongodb_user.state.ts'),
    },
  ],
  monit: [
    {
      functions: ['monitor', 'unmonitor'],
      load: () => import('../library/services/monit/state.ts'),
    },
  ],
  mount: [
    {
      functions: ['mounted', 'swap', 'unmounted', 'mod_watch', 'fstab_present', 'fstab_absent'],
      load: () => import('../library/storage/mount/state.ts'),
    },
  ],
  mysql_database: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/mysql/mysql_database.state.ts'),
    },
  ],
  mysql_grants: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/mysql/mysql_grants.state.ts'),
    },
  ],
  mysql_query: [
    {
      functions: ['run', 'run_file'],
      load: () => import('../library/databases/mysql/mysql_query.state.ts'),
    },
  ],
  mysql_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/mysql/mysql_user.state.ts'),
    },
  ],
  network: [
    {
      functions: ['managed', 'routes', 'system'],
      load: () => import('../library/network/network/state.ts'),
    },
  ],
  nftables: [
    {
      functions: [
        'chain_present',
        'chain_absent',
        'append',
        'insert',
        'delete',
        'flush',
        'set_policy',
        'table_present',
        'table_absent',
      ],
      load: () => import('../library/network/nftables/state.ts'),
    },
  ],
  npm: [
    {
      functions: ['installed', 'removed', 'bootstrap', 'cache_cleaned'],
      load: () => import('../library/packages/npm/state.ts'),
    },
  ],
  ntp: [
    {
      functions: ['managed'],
      load: () => import('../library/network/ntp/state.ts'),
    },
  ],
  pdbedit: [
    {
      functions: ['absent', 'managed', 'present'],
      load: () => import('../library/users/pdbedit/state.ts'),
    },
  ],
  pip: [
    {
      functions: ['installed', 'removed', 'uptodate'],
      load: () => import('../library/packages/pip/state.ts'),
    },
  ],
  pkg: [
    {
      functions: [
        'installed',
        'latest',
        'removed',
        'purged',
        'downloaded',
        'patch_installed',
        'patch_downloaded',
        'uptodate',
        'group_installed',
        'held',
        'unheld',
        'mod_watch',
        'mod_beacon',
      ],
      hooks: ['mod_aggregate', 'mod_init'],
      load: () => import('../library/packages/pkg/state.ts'),
    },
  ],
  pkgbuild: [
    {
      functions: ['built', 'repo'],
      load: () => import('../library/packages/pkgbuild/state.ts'),
    },
  ],
  pkgrepo: [
    {
      functions: ['managed', 'absent'],
      load: () => import('../library/packages/apt/pkgrepo.state.ts'),
    },
  ],
  postgres_cluster: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_cluster.state.ts'),
    },
  ],
  postgres_database: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_database.state.ts'),
    },
  ],
  postgres_extension: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_extension.state.ts'),
    },
  ],
  postgres_group: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_group.state.ts'),
    },
  ],
  postgres_initdb: [
    {
      functions: ['present'],
      load: () => import('../library/databases/postgres/postgres_initdb.state.ts'),
    },
  ],
  postgres_language: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_language.state.ts'),
    },
  ],
  postgres_privileges: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_privileges.state.ts'),
    },
  ],
  postgres_schema: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_schema.state.ts'),
    },
  ],
  postgres_tablespace: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_tablespace.state.ts'),
    },
  ],
  postgres_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/databases/postgres/postgres_user.state.ts'),
    },
  ],
  process: [
    {
      functions: ['absent'],
      load: () => import('../library/system/process/state.ts'),
    },
  ],
  pyenv: [
    {
      functions: ['installed', 'absent', 'install_pyenv'],
      load: () => import('../library/packages/pyenv/state.ts'),
    },
  ],
  quota: [
    {
      functions: ['mode'],
      load: () => import('../library/storage/quota/state.ts'),
    },
  ],
  rabbitmq_cluster: [
    {
      functions: ['joined', 'join'],
      load: () => import('../library/messaging/rabbitmq/rabbitmq_cluster.state.ts'),
    },
  ],
  rabbitmq_plugin: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../library/messaging/rabbitmq/rabbitmq_plugin.state.ts'),
    },
  ],
  rabbitmq_policy: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/messaging/rabbitmq/rabbitmq_policy.state.ts'),
    },
  ],
  rabbitmq_upstream: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/messaging/rabbitmq/rabbitmq_upstream.state.ts'),
    },
  ],
  rabbitmq_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/messaging/rabbitmq/rabbitmq_user.state.ts'),
    },
  ],
  rabbitmq_vhost: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/messaging/rabbitmq/rabbitmq_vhost.state.ts'),
    },
  ],
  redis: [
    {
      functions: ['string', 'absent', 'slaveof'],
      load: () => import('../library/databases/redis/state.ts'),
    },
  ],
  reg: [
    {
      functions: ['present', 'absent', 'key_absent'],
      load: () => import('../library/system/reg/state.ts'),
    },
  ],
  salt: [
    {
      functions: ['state', 'function', 'wait_for_event', 'runner', 'parallel_runners', 'wheel'],
      load: () => import('../library/salt/salt/state.ts'),
    },
  ],
  saltutil: [
    {
      functions: [
        'sync_all',
        'sync_beacons',
        'sync_clouds',
        'sync_engines',
        'sync_grains',
        'sync_executors',
        'sync_log_handlers',
        'sync_modules',
        'sync_output',
        'sync_outputters',
        'sync_pillar',
        'sync_proxymodules',
        'sync_matchers',
        'sync_renderers',
        'sync_returners',
        'sync_sdb',
        'sync_states',
        'sync_tops',
        'sync_resources',
        'sync_thorium',
        'sync_utils',
        'sync_serializers',
        'sync_wrapper',
      ],
      load: () => import('../library/salt/saltutil/state.ts'),
    },
  ],
  schedule: [
    {
      functions: ['present', 'absent', 'enabled', 'disabled'],
      load: () => import('../library/salt/schedule/state.ts'),
    },
  ],
  selinux: [
    {
      functions: [
        'mode',
        'boolean',
        'module',
        'module_install',
        'module_remove',
        'fcontext_policy_present',
        'fcontext_policy_absent',
        'fcontext_policy_applied',
        'port_policy_present',
        'port_policy_absent',
      ],
      hooks: ['mod_aggregate'],
      load: () => import('../library/security/selinux/state.ts'),
    },
  ],
  service: [
    {
      functions: ['running', 'dead', 'enabled', 'disabled', 'masked', 'unmasked', 'mod_watch', 'mod_beacon'],
      load: () => import('../library/services/service/state.ts'),
    },
  ],
  slack: [
    {
      functions: ['post_message'],
      load: () => import('../library/messaging/slack/state.ts'),
    },
  ],
  smtp: [
    {
      functions: ['send_msg'],
      load: () => import('../library/messaging/smtp/state.ts'),
    },
  ],
  snap: [
    {
      functions: ['installed', 'removed', 'enabled', 'disabled'],
      load: () => import('../library/packages/snap/state.ts'),
    },
  ],
  sqlite3: [
    {
      functions: ['row_present', 'row_absent', 'table_present', 'table_absent'],
      load: () => import('../library/databases/sqlite3/state.ts'),
    },
  ],
  ssh_auth: [
    {
      functions: ['present', 'absent', 'manage'],
      load: () => import('../library/users/ssh/ssh_auth.state.ts'),
    },
  ],
  ssh_known_hosts: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/users/ssh/ssh_known_hosts.state.ts'),
    },
  ],
  stateconf: [
    {
      functions: ['set', 'context'],
      load: () => import('../library/salt/stateconf/state.ts'),
    },
  ],
  status: [
    {
      functions: ['loadavg', 'process'],
      load: () => import('../library/system/status/state.ts'),
    },
  ],
  supervisord: [
    {
      functions: ['running', 'dead', 'mod_watch'],
      load: () => import('../library/services/supervisord/state.ts'),
    },
  ],
  sysctl: [
    {
      functions: ['present'],
      load: () => import('../library/system/sysctl/state.ts'),
    },
  ],
  sysfs: [
    {
      functions: ['present'],
      load: () => import('../library/system/sysfs/state.ts'),
    },
  ],
  syslog_ng: [
    {
      functions: ['config', 'stopped', 'started', 'reloaded'],
      load: () => import('../library/messaging/syslog-ng/state.ts'),
    },
  ],
  sysrc: [
    {
      functions: ['managed', 'absent'],
      load: () => import('../library/system/sysrc/state.ts'),
    },
  ],
  test: [
    {
      functions: [
        'nop',
        'succeed_without_changes',
        'fail_without_changes',
        'succeed_with_changes',
        'fail_with_changes',
        'configurable_test_state',
        'show_notification',
        'mod_watch',
        'check_pillar',
      ],
      load: () => import('../library/salt/test/state.ts'),
    },
  ],
  timezone: [
    {
      functions: ['system'],
      load: () => import('../library/system/timezone/state.ts'),
    },
  ],
  tls: [
    {
      functions: ['valid_certificate'],
      load: () => import('../library/security/tls/state.ts'),
    },
  ],
  ufw: [
    {
      functions: ['enabled', 'default_incoming', 'default_outgoing', 'deny', 'limit', 'allow', 'allowed'],
      load: () => import('../library/network/ufw/state.ts'),
    },
  ],
  user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../library/users/user/user.state.ts'),
    },
  ],
  virtualenv: [
    {
      functions: ['managed', 'manage'],
      load: () => import('../library/packages/virtualenv/state.ts'),
    },
  ],
  webutil: [
    {
      functions: ['user_exists', 'user_absent'],
      load: () => import('../library/web/webutil/state.ts'),
    },
  ],
  x509: [
    {
      functions: ['certificate_managed', 'crl_managed', 'csr_managed', 'pem_managed', 'private_key_managed'],
      load: () => import('../library/security/x509/state.ts'),
    },
  ],
  xml: [
    {
      functions: ['value_present'],
      load: () => import('../library/files/xml/state.ts'),
    },
  ],
}
