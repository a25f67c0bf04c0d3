//! How many parts a step is cut into, from the speed at which bodies close in.
//!
//! A contact that is met at speed `v` is known to about `v h`; where that is more than a tenth of the smaller body's half
//! thickness, landings go deep. So the number of parts is `v h` over that tenth, as a power of two.

use prall_mechanics::{Movers, Side};

use super::World;

/// Part of a body's half thickness that a contact may be approached by in one part of a step.
const APPROACH: f64 = 0.1;

impl World {
    pub(super) fn substeps(&mut self) -> u32 {
        let h = self.options.time_step;
        let most = self.options.most_substeps;
        if most == 1 {
            return 1;
        }
        let records = &self.records;
        let thickness = |side: Side| match side {
            Side::Body(body) => records[body as usize].thickness,
            Side::Link { .. } => f64::INFINITY,
        };
        let World { bodies, movers, contacts, .. } = self;
        let movers = Movers { bodies, others: movers };
        let mut parts = 1.0_f64;
        for contact in contacts.iter() {
            let closing = -contact.velocity(&movers).dot(contact.normal);
            if closing * h > contact.gap {
                let thin = thickness(contact.a).min(thickness(contact.b));
                parts = parts.max(closing * h / (APPROACH * thin));
            }
        }
        let most = f64::from(most);
        let mut count = 1;
        while f64::from(count) < parts && f64::from(2 * count) <= most {
            count *= 2;
        }
        count
    }
}
