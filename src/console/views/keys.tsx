import { Empty, View } from '../ui/basic.tsx'

export default function Keys() {
  return (
    <View title="Keys">
      <Empty title="Keys" />
    </View>
  )
}
