import { Empty, View } from '../ui/basic.tsx'

export default function Reactor() {
  return (
    <View title="Reactor">
      <Empty title="Reactor" />
    </View>
  )
}
