//! [`Gallery`]: what the server can show.

use super::WatchedFile;
use prall_scenes::{BobOffer, FileScene, OpenFileError, Simulation, UnknownScene};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A scene that can be opened.
#[derive(Serialize)]
pub struct Entry {
    /// The name in addresses.
    pub name: String,
    /// The name that people read.
    pub title: String,
    /// One line.
    pub line: String,
    /// The band that it belongs to.
    pub group: String,
    /// Where it comes from.
    pub source: String,
    /// How large it is.
    pub size: String,
    /// A paragraph that teaches the physics.
    pub about: String,
    /// Its card's picture, relative to the page.
    pub picture: String,
    /// The file that it is read from, if it is one.
    #[serde(skip)]
    pub file: Option<Arc<WatchedFile>>,
    /// Builds it.
    #[serde(skip)]
    pub build: Box<dyn Fn() -> Box<dyn Simulation> + Send + Sync>,
}

impl Entry {
    /// A scene file, which is read again when it changes.
    pub fn of_file(path: &Path) -> Result<Entry, OpenFileError> {
        let file = Arc::new(WatchedFile::read(path)?);
        let scene = file.scene();
        let name =
            path.file_stem().map_or_else(|| "file".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let watched = Arc::clone(&file);
        Ok(Entry {
            picture: format!("api/scenes/{name}/picture"),
            name,
            title: scene.title().to_owned(),
            line: "A scene file".to_owned(),
            group: "Files".to_owned(),
            source: path.display().to_string(),
            size: String::new(),
            about: scene.description().to_owned(),
            file: Some(file),
            build: Box::new(move || watched.scene().build()),
        })
    }
}

/// An entry and what is known of it by building it.
pub(crate) struct Item {
    entry: Entry,
    solvers: OnceLock<Value>,
}

impl Item {
    fn new(entry: Entry) -> Item {
        Item { entry, solvers: OnceLock::new() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.entry.name
    }

    /// The file that it is read from.
    pub(crate) fn file(&self) -> Option<&WatchedFile> {
        self.entry.file.as_deref()
    }

    /// The scene of that file as it could last be read.
    pub(crate) fn file_scene(&self) -> Option<FileScene> {
        self.file().map(WatchedFile::scene)
    }

    /// Builds the scene.
    pub(crate) fn build(&self) -> Box<dyn Simulation> {
        (self.entry.build)()
    }

    /// As the protocol has it. The first call builds the scene to know its solvers.
    pub(crate) fn to_json(&self) -> Value {
        let solvers = self.solvers.get_or_init(|| {
            let simulation = self.build();
            simulation.solvers().iter().map(|s| json!({"name": s.name, "title": s.title})).collect()
        });
        let mut value = serde_json::to_value(&self.entry).unwrap_or_default();
        value["solvers"] = solvers.clone();
        if let Some(scene) = self.file_scene() {
            value["title"] = scene.title().into();
            value["about"] = scene.description().into();
            value["pictured"] = self.file().is_some_and(|file| file.picture().is_some()).into();
        }
        value
    }
}

/// Scenes by name, and what the bobsleigh offers.
pub struct Gallery {
    items: Vec<Arc<Item>>,
    /// Found by name, but not listed.
    unlisted: Vec<Arc<Item>>,
    bob: &'static BobOffer,
}

impl Default for Gallery {
    fn default() -> Gallery {
        Gallery { items: Vec::new(), unlisted: Vec::new(), bob: BobOffer::standard() }
    }
}

impl Gallery {
    /// Every scene of `prall scenes`; the trees of the comparison are found by name.
    pub fn standard() -> Gallery {
        let entry = |scene: &'static prall_scenes::Scene| Entry {
            name: scene.name.to_owned(),
            title: scene.title.to_owned(),
            line: scene.line.to_owned(),
            group: scene.group.to_owned(),
            source: scene.source.to_owned(),
            size: scene.size.to_owned(),
            about: scene.about.to_owned(),
            picture: format!("pictures/{}.png", scene.name),
            file: None,
            build: Box::new(|| scene.build()),
        };
        let gallery = prall_scenes::scenes().iter().map(entry).fold(Gallery::default(), Gallery::with);
        let unlisted = prall_scenes::unlisted_scenes().iter().map(|scene| Arc::new(Item::new(entry(scene))));
        Gallery { unlisted: unlisted.collect(), ..gallery }
    }

    /// Adds a scene.
    pub fn with(mut self, entry: Entry) -> Gallery {
        self.items.push(Arc::new(Item::new(entry)));
        self
    }

    /// The same with other tracks and another sled in its bobsleigh.
    pub fn with_bob(mut self, bob: &'static BobOffer) -> Gallery {
        self.bob = bob;
        for item in &mut self.items {
            if let Some(item) = Arc::get_mut(item).filter(|item| item.entry.name == "bobsleigh") {
                item.entry.build = Box::new(move || prall_scenes::bobsleigh(bob));
            }
        }
        self
    }

    pub(super) fn bob(&self) -> &'static BobOffer {
        self.bob
    }

    /// All scenes as the protocol has them; builds those that were not built yet.
    pub(super) fn to_json(&self) -> Vec<Value> {
        self.items.iter().map(|item| item.to_json()).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Result<Arc<Item>, UnknownScene> {
        let known = self.items.iter().chain(&self.unlisted).find(|item| item.entry.name == name);
        known.cloned().ok_or_else(|| match prall_scenes::scene(name) {
            Err(unknown) => unknown,
            Ok(_) => UnknownScene { name: name.to_owned(), nearest: None },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_the_comparison_are_found_by_name_and_not_listed() {
        let gallery = Gallery::standard();
        for name in ["tree-31", "tree-63", "tree-127", "tree-255"] {
            assert_eq!(gallery.find(name).unwrap().name(), name);
            assert!(gallery.items.iter().all(|item| item.name() != name));
        }
    }
}
