// Caches of data about minions on a master.
import { needless, type OptionTable } from '../option.ts'

export const CACHES = {
  minion_data_cache: { type: 'bool', master: true, doc: 'Keep grains and pillars of minions' },
  minion_data_cache_events: { type: 'bool', master: true, doc: 'Fire an event when kept data is refreshed' },
  preserve_minion_cache: { type: 'bool', master: false, doc: 'Keep data of minions whose key was deleted' },
  resource_pillar_key: { type: 'str', minion: 'resources', doc: "Pillar key that holds a minion's resources" },
  'mongo.host': { type: 'str', for: ['minion', 'master'], doc: 'MongoDB server' },
  cache: {
    type: 'str',
    both: 'localfs',
    doc: 'Driver of the cache: localfs, or redis, mysql, etcd or consul, by which several masters share the data about minions',
  },
  cache_share_interval: {
    type: 'int|float',
    for: ['master'],
    unset: 5,
    doc: 'Seconds between two looks for changes that other masters made in a shared cache',
  },
  'cache.redis.host': { type: 'str', for: ['master'], doc: 'Redis server of the cache. Default: localhost' },
  'cache.redis.port': { type: 'int', for: ['master'], doc: 'Port of the Redis server. Default: 6379' },
  'cache.redis.db': { type: 'int|str', for: ['master'], doc: 'Database of the Redis server. Default: 0' },
  'cache.redis.password': { type: 'str', for: ['master'], doc: 'Password of the Redis server' },
  'cache.redis.unix_socket_path': { type: 'str', for: ['master'], doc: 'Socket of the Redis server' },
  'etcd.host': { type: 'str', for: ['minion', 'master'], doc: 'etcd server of the cache. Default: 127.0.0.1' },
  'etcd.port': { type: 'int', for: ['minion', 'master'], doc: 'Port of the etcd server. Default: 2379' },
  'consul.host': { type: 'str', for: ['minion', 'master'], doc: 'Consul server of the cache. Default: 127.0.0.1' },
  'consul.port': { type: 'int', for: ['minion', 'master'], doc: 'Port of the Consul server. Default: 8500' },
  cache_sreqs: {
    type: 'bool',
    both: true,
    doc: 'Keep request connections open',
    needless: 'Connections for requests always stay open',
  },
  ...needless('The cache keeps what it has read in memory', {
    memcache_expire_seconds: {
      type: 'int',
      master: 0,
      doc: 'Seconds that answers of the cache are kept in memory; 0 for none',
    },
    memcache_max_items: { type: 'int', master: 1024, doc: 'How many such answers are kept in memory' },
    memcache_full_cleanup: { type: 'bool', master: false, doc: 'Drop all old answers when memory is full' },
    memcache_debug: { type: 'bool', master: false, doc: 'Log how well the memory serves' },
  }),
  detect_remote_minions: {
    type: 'bool',
    master: false,
    doc: 'Look for minions by their open connections',
    later: 'minions that are found by their connections',
  },
  remote_minions_port: {
    type: 'int',
    master: 22,
    doc: 'Port that is looked at to find such minions',
    later: 'minions that are found by their connections',
  },
} satisfies OptionTable
