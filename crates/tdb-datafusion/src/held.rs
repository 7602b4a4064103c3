//! Columns that hold the memory that was reserved for them until they are dropped.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, make_array};
use bytes::Bytes;
use datafusion::arrow::array::ArrayData;
use datafusion::arrow::buffer::Buffer;
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;

/// Part of a column, with the reservation for all of it.
struct BufferWithMemory {
    buffer: Buffer,
    _memory: Arc<MemoryReservation>,
}

impl AsRef<[u8]> for BufferWithMemory {
    fn as_ref(&self) -> &[u8] {
        self.buffer.as_slice()
    }
}

/// Returns the same column, which gives the reserved memory back when its last part is dropped.
pub(crate) fn held(array: &dyn Array, memory: MemoryReservation) -> Result<ArrayRef> {
    let data = with(array.to_data(), &Arc::new(memory))?;
    Ok(make_array(data))
}

fn with(data: ArrayData, memory: &Arc<MemoryReservation>) -> Result<ArrayData> {
    let with_memory = |buffer: &Buffer| {
        let held = BufferWithMemory {
            buffer: buffer.clone(),
            _memory: Arc::clone(memory),
        };
        Buffer::from(Bytes::from_owner(held))
    };
    let buffers = data.buffers().iter().map(with_memory).collect();
    let children = (data.child_data().iter())
        .map(|child| with(child.clone(), memory))
        .collect::<Result<Vec<_>>>()?;
    let held = data.into_builder().buffers(buffers).child_data(children);
    Ok(held.build()?)
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::{ListArray, StringArray};
    use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};

    use super::*;

    #[test]
    fn memory_is_given_back_with_the_last_part() {
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(1000));
        let reserved = || {
            let memory = MemoryConsumer::new("test").register(&pool);
            memory.try_grow(100).unwrap();
            memory
        };
        let text = StringArray::from(vec!["a", "bc"]);
        let kept = held(&text, reserved()).unwrap();
        assert_eq!(kept.as_string::<i32>(), &text);
        let part = kept.slice(1, 1);
        drop(kept);
        assert_eq!(pool.reserved(), 100);
        drop(part);
        assert_eq!(pool.reserved(), 0);
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]);
        let kept = held(&lists, reserved()).unwrap();
        assert_eq!(kept.as_list::<i32>(), &lists);
        let inner = Arc::clone(kept.as_list::<i32>().values());
        drop(kept);
        assert_eq!(pool.reserved(), 100);
        drop(inner);
        assert_eq!(pool.reserved(), 0);
    }
}
